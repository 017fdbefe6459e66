-- Enters a Redisson fair lock as Redisson does: if it is the client's own already, or if it is free and nobody is before the
-- client in the queue. Else the client joins the queue. Each entry begins the lease anew. Follows recount.lua and
-- fair_queue.lua.
--
-- Whoever enters had a part in the deadlines of all who wait behind, which end so much earlier then.
--
-- A lock is never made without its lease: where it is free, the lease is set before there is a key, which does nothing but
-- to refuse a user who may not set it. Of the queue it takes for granted that the user may write to it.
--
-- KEYS[1]  the lock
-- KEYS[2]  the queue
-- KEYS[3]  the deadlines
-- ARGV[1]  the field of the client
-- ARGV[2]  the lease in milliseconds
-- ARGV[3]  how long in milliseconds the client has, from its turn on, before it counts as dead
-- ARGV[4]  the client's time in milliseconds since 1970
--
-- Returns an array of three:
--   [1] "done"   entered, and in the queue no more
--       "other"  somebody else has it, or is before the client, who is in the queue
--   [2] the client's entry count as text; "" with "other"
--   [3] the lease in milliseconds; with "other" how long Redisson waits for a message before it asks again: where the
--       client was in the queue already what is left of the lock's lease, and 0 where it has none; else until the turn of the
--       client, and -1 where the lock has no lease
local now = tonumber(ARGV[4])
local first = head(now)
local free = redis.call("EXISTS", KEYS[1]) == 0
if free and (not first or first == ARGV[1]) then
  redis.call("PEXPIRE", KEYS[1], ARGV[2])
  redis.call("LPOP", KEYS[2])
  redis.call("ZREM", KEYS[3], ARGV[1])
  for _, waiter in ipairs(redis.call("ZRANGE", KEYS[3], "0", "-1")) do
    redis.call("ZINCRBY", KEYS[3], "-" .. ARGV[3], waiter)
  end
elseif free or redis.call("HEXISTS", KEYS[1], ARGV[1]) == 0 then
  if deadline(ARGV[1]) then
    return {"other", "", math.max(0, redis.call("PTTL", KEYS[1]))}
  end
  local begins = turn(redis.call("LINDEX", KEYS[2], "-1"), now)
  redis.call("ZADD", KEYS[3], string.format("%.0f", begins + tonumber(ARGV[3])), ARGV[1])
  redis.call("RPUSH", KEYS[2], ARGV[1])
  return {"other", "", begins - now}
end
local count, refused = recount("1", ARGV[2])
if refused then
  return refused
end
return {"done", count, tonumber(ARGV[2])}
