-- Ends a lock by force, now or soon. Follows guard_string.lua or guard_hash.lua, and wake.lua.
--
-- KEYS[1]     the lock
-- KEYS[2..3]  the queue of a fair lock, see wake.lua; may be left out
-- ARGV[1..4]  what was observed, see the guard
-- ARGV[5]     in how many milliseconds it ends; "0" now, which deletes the key
-- ARGV[6]     the channel on which waiters are woken if it ends now; "" for none
--
-- It never makes a lease longer.
--
-- Returns what the guard returns, or an array of six:
--   [1] "done"     the key is deleted, or its TTL is shortened
--       "changed"  with [2] "shorter": the lease ends sooner than that already
--   [2] "" or "shorter"
--   [3] the first 512 bytes of what says who the holder is, or was
--   [4] the holder's entry count as text; "" in a string
--   [5] the lease that is left in milliseconds; -2 there is no key any more
--   [6] how many clients received the message; -1 no message was sent
if ARGV[5] ~= "0" then
  if pttl >= 0 and pttl < tonumber(ARGV[5]) then
    return answer("changed", "shorter")
  end
  redis.call("PEXPIRE", KEYS[1], ARGV[5])
  pttl = tonumber(ARGV[5])
  return answer("done", "")
end
if ARGV[6] ~= "" then
  woken = wake(ARGV[6])
end
redis.call("DEL", KEYS[1])
pttl = -2
return answer("done", "")
