-- Leaves a Redisson fair lock once, as Redisson does. While entries are left the lease begins anew. Follows recount.lua and
-- fair_queue.lua.
--
-- When the lock is free, the first waiter in the queue whose wait is not over is told, on a channel of its own, and nobody
-- else. So it is where the lease was over before the release. The waiter is told right before the lock is deleted: in a
-- script that is the same moment to everybody else, and a user who may not publish is refused before the lock is changed.
--
-- KEYS[1]  the lock
-- KEYS[2]  the queue
-- KEYS[3]  the deadlines
-- ARGV[1]  the field of the client
-- ARGV[2]  the lease in milliseconds that begins anew when entries are left; "0" leaves the lease as it is
-- ARGV[3]  the lock's channel: that of a waiter has ":" and the waiter's field after it
-- ARGV[4]  the client's time in milliseconds since 1970
--
-- Returns an array of three:
--   [1] "done"   left; if that was the last entry, the key is gone
--       "other"  the client is not in it
--   [2] the entries that the client has left, as text; "" with "other"
--   [3] the lease that is left in milliseconds; -1 there is no TTL, -2 there is no key
local first = head(tonumber(ARGV[4]))
local kind = redis.call("TYPE", KEYS[1])["ok"]
local count = kind == "hash" and redis.call("HGET", KEYS[1], ARGV[1])
local mine = count and string.match(count, "^%-?%d+$")
if mine and tonumber(count) > 1 then
  local left, refused = recount("-1", ARGV[2])
  if refused then
    return refused
  end
  return {"done", left, redis.call("PTTL", KEYS[1])}
end
if first and (mine or kind == "none") then
  redis.call("PUBLISH", ARGV[3] .. ":" .. first, "0")
end
if not mine then
  return {"other", "", redis.call("PTTL", KEYS[1])}
end
redis.call("DEL", KEYS[1])
return {"done", "0", -2}
