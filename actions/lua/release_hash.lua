-- Leaves a lock kept in a hash (reentrant, redisson) once, as its clients do. While entries are left the lease begins anew.
-- Follows recount.lua.
--
-- Who waits is told right before the lock is deleted. In a script that is the same moment to everybody else, and a user
-- who may not publish is refused before anything is done, not after.
--
-- KEYS[1]  the lock
-- ARGV[1]  the field of the client
-- ARGV[2]  the lease in milliseconds that begins anew when entries are left; "0" leaves the lease as it is
-- ARGV[3]  the channel on which waiters are woken when the lock is free; "" for none
--
-- Returns an array of three:
--   [1] "done"   left; if that was the last entry, and no other field is in the hash, the key is gone
--       "other"  the client is not in it
--   [2] the entries that the client has left, as text; "" with "other"
--   [3] the lease that is left in milliseconds; -1 there is no TTL, -2 there is no key
local count = redis.call("TYPE", KEYS[1])["ok"] == "hash" and redis.call("HGET", KEYS[1], ARGV[1])
if not count or not string.match(count, "^%-?%d+$") then
  return {"other", "", redis.call("PTTL", KEYS[1])}
end
if tonumber(count) > 1 then
  local left, refused = recount("-1", ARGV[2])
  if refused then
    return refused
  end
  return {"done", left, redis.call("PTTL", KEYS[1])}
end
if redis.call("HLEN", KEYS[1]) > 1 then
  redis.call("HDEL", KEYS[1], ARGV[1])
  return {"done", "0", redis.call("PTTL", KEYS[1])}
end
if ARGV[3] ~= "" then
  redis.call("PUBLISH", ARGV[3], "0")
end
redis.call("DEL", KEYS[1])
return {"done", "0", -2}
