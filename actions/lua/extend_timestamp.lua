-- Extends a lock whose value says when its lease ends: writes a later end. Follows guard_string.lua.
--
-- The key has a TTL afterwards if it had one before. A TTL that would end before the new lease is set to the lease,
-- because the key would go before its value says so. Both are written by one command, which the server refuses whole.
--
-- KEYS[1]     the lock
-- ARGV[1..4]  what was observed, see the guard
-- ARGV[5]     the new value, with the new end in the format of the old one
-- ARGV[6]     the new lease in milliseconds, from now
--
-- Returns what the guard returns, or an array of six:
--   [1] "done"  the value is written
--   [2] ""
--   [3] the first 512 bytes of the new value
--   [4] ""
--   [5] the TTL that is left in milliseconds; -1 there is none, the lease is in the value alone
--   [6] -1      nobody is woken by an extension
if pttl >= 0 then
  pttl = math.max(pttl, tonumber(ARGV[6]))
  redis.call("SET", KEYS[1], ARGV[5], "PX", string.format("%.0f", pttl))
else
  redis.call("SET", KEYS[1], ARGV[5])
end
holder = string.sub(ARGV[5], 1, 512)
return answer("done", "")
