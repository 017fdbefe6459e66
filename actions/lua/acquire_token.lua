-- Acquires a token lock, as its clients do.
--
-- KEYS[1]  the lock
-- ARGV[1]  the token, which nobody else has
-- ARGV[2]  the lease in milliseconds
--
-- Returns an array of three:
--   [1] "done"   the lock is acquired
--       "other"  somebody has it
--   [2] ""       a string keeps no entry count
--   [3] the lease that is left in milliseconds: one's own, or the other's; -1 there is no TTL
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return {"done", "", tonumber(ARGV[2])}
end
return {"other", "", redis.call("PTTL", KEYS[1])}
