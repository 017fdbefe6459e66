-- Releases entries of a holder in a lock kept in a hash (reentrant, redisson). Follows guard_hash.lua,
-- recount.lua and wake.lua.
--
-- KEYS[1]     the lock
-- KEYS[2..3]  the queue of a fair lock, see wake.lua; may be left out
-- ARGV[1..4]  what was observed, see the guard
-- ARGV[5]     how many entries to release; "0" all of them
-- ARGV[6]     the lease in milliseconds that begins anew when entries are left; "0" leaves the lease as it is
-- ARGV[7]     the channel on which waiters are woken when the lock is free; "" for none
--
-- Returns what the guard returns, or an array of six:
--   [1] "done"     the lock is free and the key is gone
--       "left"     the key is still there: [3] has it [4] times, which is 0 where another field is left in the hash
--       "changed"  with [2] "count": the entry count is no number, so no entry can be taken from it
--   [2] "" or "count"
--   [3] the first 512 bytes of the holder's field
--   [4] the entries that the holder has left, as text
--   [5] the lease that is left in milliseconds; -1 there is no TTL, -2 there is no key
--   [6] how many clients received the message; -1 no message was sent
local entries = tonumber(ARGV[5])
if entries > 0 then
  if not string.match(count, "^%-?%d+$") then
    return answer("changed", "count")
  end
  if tonumber(count) > entries then
    local left, refused = recount("-" .. ARGV[5], ARGV[6])
    if refused then
      return refused
    end
    count = left
    if ARGV[6] ~= "0" then
      pttl = tonumber(ARGV[6])
    end
    return answer("left", "")
  end
end
count = "0"
if fields > 1 then
  redis.call("HDEL", KEYS[1], ARGV[1])
  return answer("left", "")
end
if ARGV[7] ~= "" then
  woken = wake(ARGV[7])
end
redis.call("DEL", KEYS[1])
pttl = -2
return answer("done", "")
