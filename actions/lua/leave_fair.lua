-- Takes a waiter that gives up out of the queue of a Redisson fair lock, as Redisson does. Those behind it have its part in
-- their deadlines no more: the time between its turn and its own deadline. Follows fair_queue.lua.
--
-- KEYS[1]  the lock
-- KEYS[2]  the queue
-- KEYS[3]  the deadlines
-- ARGV[1]  the field of the waiter
-- ARGV[2]  the client's time in milliseconds since 1970
--
-- Returns an array of three:
--   [1] "done"   it is not in the queue any more, or never was
--   [2] ""       a waiter has no entry count
--   [3] the lease of the lock that is left in milliseconds; -1 there is no TTL, -2 there is no key
local queue, at = redis.call("LRANGE", KEYS[2], "0", "-1"), 1
while queue[at] and queue[at] ~= ARGV[1] do
  at = at + 1
end
local ends = deadline(ARGV[1])
if ends and queue[at + 1] then
  local part = math.max(0, ends - turn(queue[at - 1], tonumber(ARGV[2])))
  for behind = at + 1, #queue do
    if deadline(queue[behind]) then
      redis.call("ZINCRBY", KEYS[3], string.format("%.0f", -part), queue[behind])
    end
  end
end
redis.call("ZREM", KEYS[3], ARGV[1])
redis.call("LREM", KEYS[2], "0", ARGV[1])
return {"done", "", redis.call("PTTL", KEYS[1])}
