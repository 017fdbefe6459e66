-- The guard of every script that acts on a lock kept in a hash: it goes on only if the lock is what was observed.
-- The text of a verb follows this one in the same chunk.
--
-- KEYS[1]  the lock
-- ARGV[1]  the field of the holder
-- ARGV[2]  the number of fields as it was observed; "" if it does not matter
-- ARGV[3]  the holder's entry count as it was observed; "" if it was unknown or does not matter
-- ARGV[4]  the lease as it was observed: "ttl" it had one, "none" it had none, "any" it does not matter
--
-- Returns, if the lock is not what was observed, an array of six:
--   [1] "gone"     the key is not there
--       "other"    the holder is not in the hash: somebody else has the lock
--       "changed"  the key is not what was observed in another way, which [2] names
--   [2] ""         for "gone" and "other"
--       "type"     the key is no hash; [3] names its type
--       "count"    the holder's entry count is another
--       "fields"   the hash has more fields or fewer
--       "ttl"      it had no TTL, and has one now
--       "no-ttl"   it had a TTL, and has none now
--   [3] the first 512 bytes of the name of a field that is there now: the holder's own, or with "other" somebody else's
--   [4] the entry count of that field, as text
--   [5] the lease that is left in milliseconds; -1 there is no TTL, -2 there is no key
--   [6] -1         nobody was woken
local kind = redis.call("TYPE", KEYS[1])["ok"]
local pttl = redis.call("PTTL", KEYS[1])
local holder, count, woken = "", "", -1
local function answer(code, why)
  return {code, why, string.sub(holder, 1, 512), string.sub(count, 1, 512), pttl, woken}
end
if kind == "none" or pttl == -2 then
  return answer("gone", "")
end
if kind ~= "hash" then
  holder = kind
  return answer("changed", "type")
end
local had = redis.call("HGET", KEYS[1], ARGV[1])
if not had then
  local found = redis.call("HSCAN", KEYS[1], "0", "COUNT", "10")[2]
  holder, count = found[1] or "", found[2] or ""
  return answer("other", "")
end
holder, count = ARGV[1], had
if ARGV[3] ~= "" and count ~= ARGV[3] then
  return answer("changed", "count")
end
local fields = redis.call("HLEN", KEYS[1])
if ARGV[2] ~= "" and fields ~= tonumber(ARGV[2]) then
  return answer("changed", "fields")
end
if ARGV[4] == "none" and pttl >= 0 then
  return answer("changed", "ttl")
end
if ARGV[4] == "ttl" and pttl < 0 then
  return answer("changed", "no-ttl")
end
