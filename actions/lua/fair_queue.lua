-- The queue of a Redisson fair lock, which is told from the field of each waiter and the time at which its wait is over. The
-- text that calls these functions follows this one in the same chunk.
--
-- KEYS[1]  the lock
-- KEYS[2]  the queue: a list of the waiters' fields, the first who came first
-- KEYS[3]  the deadlines: a sorted set of the waiters' fields, in milliseconds since 1970
-- ARGV[1]  the field of the client, of which these functions know nothing
--
-- deadline(waiter) is when the wait of a waiter is over; head(now) is the first waiter whose wait is not over, after those before
-- it are taken out, and the deadlines of the others stay; turn(before, now) is when the wait of one who comes after the waiter
-- before begins: at that one's deadline, or, where nobody is before it, or one without a deadline, at the end of the lock's
-- lease. A lock that has none ends now.
--
-- Returns nothing, for it declares functions only:
--   deadline  milliseconds since 1970; nil where there is none, which is the case of one who waits for ever
--   head      the field of the waiter; false where there is none
--   turn      milliseconds since 1970
local function deadline(waiter)
  return tonumber(redis.call("ZSCORE", KEYS[3], waiter) or "")
end
local function head(now)
  local first = redis.call("LINDEX", KEYS[2], "0")
  while first do
    local ends = deadline(first)
    if not ends or ends > now then
      return first
    end
    redis.call("ZREM", KEYS[3], first)
    redis.call("LPOP", KEYS[2])
    first = redis.call("LINDEX", KEYS[2], "0")
  end
  return false
end
local function turn(before, now)
  local ends = before and deadline(before)
  return ends or now + redis.call("PTTL", KEYS[1])
end
