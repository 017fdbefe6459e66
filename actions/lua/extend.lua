-- Sets the lease of a lock anew (token, setnx, reentrant, redisson). Follows guard_string.lua or guard_hash.lua.
--
-- KEYS[1]     the lock
-- ARGV[1..4]  what was observed, see the guard
-- ARGV[5]     the new lease in milliseconds, from now
-- ARGV[6]     "longer" does nothing if more than that is left; "set" sets it in any case, as a holder's renewal does
--
-- Returns what the guard returns, or an array of six:
--   [1] "done"     the lease is set
--       "changed"  with [2] "longer": more than the new lease is left, and it is not shortened
--   [2] "" or "longer"
--   [3] the first 512 bytes of what says who the holder is
--   [4] the holder's entry count as text; "" in a string
--   [5] the lease that is left in milliseconds
--   [6] -1         nobody is woken by an extension
if ARGV[6] == "longer" and pttl > tonumber(ARGV[5]) then
  return answer("changed", "longer")
end
redis.call("PEXPIRE", KEYS[1], ARGV[5])
pttl = tonumber(ARGV[5])
return answer("done", "")
