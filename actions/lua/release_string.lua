-- Releases a lock kept in a string (token, setnx, timestamp): deletes the key. Follows guard_string.lua.
--
-- KEYS[1]     the lock
-- ARGV[1..4]  what was observed, see the guard
--
-- Returns what the guard returns, or an array of six:
--   [1] "done"  the key is deleted
--   [2] ""
--   [3] the first 512 bytes of the value that it had
--   [4] ""
--   [5] -2      there is no key any more
--   [6] -1      the scheme has no wake-up: who waits, polls
redis.call("DEL", KEYS[1])
pttl = -2
return answer("done", "")
