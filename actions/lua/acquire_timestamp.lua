-- Acquires a lock whose value is the end of its lease in milliseconds since 1970, as its clients do: if it is free, or if
-- the lease in it is over by the clock of the client that asks. In one script no other client comes in between, as it
-- may with SETNX and GETSET, so that the value that was written is the proof of ownership.
--
-- KEYS[1]  the lock
-- ARGV[1]  the client's time in milliseconds since 1970
-- ARGV[2]  the new value: the end of the lease in milliseconds since 1970
--
-- Returns an array of three:
--   [1] "done"   the lock is acquired; a lease that was over is taken over
--       "other"  somebody has it, or what is in the key is no time in milliseconds: thirteen digits, as from 2001 to
--                2286. A time in seconds, for one, is another kind of client's
--   [2] ""       a string keeps no entry count
--   [3] -1       such a lock has no TTL
local value = redis.call("GET", KEYS[1])
if value then
  if #value ~= 13 or not string.match(value, "^%d+$") or tonumber(value) >= tonumber(ARGV[1]) then
    return {"other", "", -1}
  end
end
redis.call("SET", KEYS[1], ARGV[2])
return {"done", "", -1}
