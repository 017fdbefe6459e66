-- Renews a lock kept in a hash (reentrant, redisson), as its clients do: sets its lease anew, longer or shorter.
--
-- KEYS[1]  the lock
-- ARGV[1]  the field of the client
-- ARGV[2]  the new lease in milliseconds, from now
--
-- Returns an array of three:
--   [1] "done"   the lease is set
--       "other"  the client is not in it
--   [2] the client's entry count as text; "" with "other"
--   [3] the lease that is left in milliseconds; -1 there is no TTL, -2 there is no key
local count = redis.call("TYPE", KEYS[1])["ok"] == "hash" and redis.call("HGET", KEYS[1], ARGV[1])
if not count then
  return {"other", "", redis.call("PTTL", KEYS[1])}
end
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return {"done", count, tonumber(ARGV[2])}
