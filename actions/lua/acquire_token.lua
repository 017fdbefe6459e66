-- Acquires a token lock, as its clients do.
--
-- KEYS[1]  the lock
-- ARGV[1]  the token, which nobody else has
-- ARGV[2]  the lease in milliseconds
--
-- Returns an array of six:
--   [1] "done"   the lock is acquired
--       "other"  somebody has it
--   [2] ""
--   [3] ""       a client that waits needs no holder's token
--   [4] ""
--   [5] the lease that is left in milliseconds: one's own, or the other's; -1 there is no TTL
--   [6] -1       nobody is woken by an acquisition
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return {"done", "", "", "", tonumber(ARGV[2]), -1}
end
return {"other", "", "", "", redis.call("PTTL", KEYS[1]), -1}
