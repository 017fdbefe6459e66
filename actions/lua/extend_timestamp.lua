-- Renews a lock whose value says when its lease ends, as its clients do: writes a later end.
--
-- The key has a TTL afterwards if it had one before. A TTL that would end before the new lease is set to the lease,
-- because the key would go before its value says so. Both are written by one command, which the server refuses whole.
--
-- KEYS[1]  the lock
-- ARGV[1]  the value that the client has written, which is the proof of ownership
-- ARGV[2]  the new value, with the new end
-- ARGV[3]  the new lease in milliseconds, from now
--
-- Returns an array of three:
--   [1] "done"   the value is written
--       "other"  the key has another value
--   [2] ""       a string keeps no entry count
--   [3] the TTL that is left in milliseconds; -1 there is none, the lease is in the value alone; -2 there is no key
local pttl = redis.call("PTTL", KEYS[1])
if redis.call("TYPE", KEYS[1])["ok"] ~= "string" or redis.call("GET", KEYS[1]) ~= ARGV[1] then
  return {"other", "", pttl}
end
if pttl >= 0 then
  pttl = math.max(pttl, tonumber(ARGV[3]))
  redis.call("SET", KEYS[1], ARGV[2], "PX", string.format("%.0f", pttl))
else
  redis.call("SET", KEYS[1], ARGV[2])
end
return {"done", "", pttl}
