-- The guard of every script that acts on a lock kept in a string: it goes on only if the lock is what was observed.
-- The text of a verb follows this one in the same chunk.
--
-- KEYS[1]  the lock
-- ARGV[1]  the value as it was observed, or its beginning if it was too long to keep
-- ARGV[2]  the length of the whole value in bytes
-- ARGV[3]  the entry count as it was observed; not used, a string keeps none
-- ARGV[4]  the lease as it was observed: "ttl" it had one, "none" it had none, "any" it does not matter
--
-- Returns, if the lock is not what was observed, an array of six:
--   [1] "gone"     the key is not there
--       "other"    the key holds another value: somebody else has the lock
--       "changed"  the key is not what was observed in another way, which [2] names
--   [2] ""         for "gone" and "other"
--       "type"     the key is no string; [3] names its type
--       "ttl"      it had no TTL, and has one now
--       "no-ttl"   it had a TTL, and has none now
--   [3] the first 512 bytes of the value that is there now ("" if there is none)
--   [4] ""         a string keeps no entry count
--   [5] the lease that is left in milliseconds; -1 there is no TTL, -2 there is no key
--   [6] -1         nobody was woken
local kind = redis.call("TYPE", KEYS[1])["ok"]
local pttl = redis.call("PTTL", KEYS[1])
local holder, count, woken = "", "", -1
local function answer(code, why)
  return {code, why, holder, count, pttl, woken}
end
if kind == "none" or pttl == -2 then
  return answer("gone", "")
end
if kind ~= "string" then
  holder = kind
  return answer("changed", "type")
end
holder = redis.call("GETRANGE", KEYS[1], 0, 511)
local same = redis.call("STRLEN", KEYS[1]) == tonumber(ARGV[2])
if same and #ARGV[1] > 0 then
  same = redis.call("GETRANGE", KEYS[1], 0, #ARGV[1] - 1) == ARGV[1]
end
if not same then
  return answer("other", "")
end
if ARGV[4] == "none" and pttl >= 0 then
  return answer("changed", "ttl")
end
if ARGV[4] == "ttl" and pttl < 0 then
  return answer("changed", "no-ttl")
end
