-- Enters a re-entrant lock kept in a hash (reentrant, redisson), as its clients do: if it is free, or one's own already.
-- Each entry begins the lease anew.
--
-- KEYS[1]  the lock
-- ARGV[1]  the field of the client
-- ARGV[2]  the lease in milliseconds
--
-- Returns an array of six:
--   [1] "done"   entered
--       "other"  somebody else has it
--   [2] ""
--   [3] ""
--   [4] the client's entry count as text; "" with "other"
--   [5] the lease that is left in milliseconds: one's own, or the other's; -1 there is no TTL
--   [6] -1       nobody is woken by an acquisition
if redis.call("EXISTS", KEYS[1]) == 0 or redis.call("HEXISTS", KEYS[1], ARGV[1]) == 1 then
  local count = redis.call("HINCRBY", KEYS[1], ARGV[1], "1")
  redis.call("PEXPIRE", KEYS[1], ARGV[2])
  return {"done", "", "", string.format("%.0f", count), tonumber(ARGV[2]), -1}
end
return {"other", "", "", "", redis.call("PTTL", KEYS[1]), -1}
