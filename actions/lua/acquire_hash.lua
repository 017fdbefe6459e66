-- Enters a re-entrant lock kept in a hash (reentrant, redisson), as its clients do: if it is free, or one's own already.
-- Each entry begins the lease anew. Follows recount.lua.
--
-- A lock is never made without its lease: where it is free, the lease is set before there is a key, which does nothing but
-- to refuse a user who may not set it.
--
-- KEYS[1]  the lock
-- ARGV[1]  the field of the client
-- ARGV[2]  the lease in milliseconds
--
-- Returns an array of three:
--   [1] "done"   entered
--       "other"  somebody else has it
--   [2] the client's entry count as text; "" with "other"
--   [3] the lease that is left in milliseconds: one's own, or the other's; -1 there is no TTL
local free = redis.call("EXISTS", KEYS[1]) == 0
if not free and redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then
  return {"other", "", redis.call("PTTL", KEYS[1])}
end
if free then
  redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
local count, refused = recount("1", ARGV[2])
if refused then
  return refused
end
return {"done", count, tonumber(ARGV[2])}
