-- Tells those who wait for a lock that it is free. Follows a guard; the text of a verb follows this one in the same chunk,
-- and calls wake right before it deletes the lock. In a script that is the same moment to everybody else, and a user who
-- may not publish, or not see the queue, is refused before anything is done, not after.
--
-- KEYS[1]  the lock
-- KEYS[2]  the queue of a fair lock, which need not be there: a list of waiters, the first one first. Without this key
--          and the next the lock is known not to be fair
-- KEYS[3]  until when each of them waits: a sorted set, in milliseconds since 1970
--
-- wake(channel) sends "0" to the first waiter in the queue whose time is not over by the server's clock, on the channel
-- with ":" and the waiter after it, because a fair lock lets nobody else in. Where no such waiter is, it sends to the
-- channel itself. The waiters whose time is over are left where they are: each client takes them out before it acquires.
--
-- Returns, from wake, how many clients received the message. It ends no script, and so answers nothing; ARGV[1..] are the
-- guard's and the verb's.
local function wake(channel)
  local queue = KEYS[2] and redis.call("LRANGE", KEYS[2], "0", "-1") or {}
  if #queue > 0 then
    local time = redis.call("TIME")
    local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
    local ends, over = redis.call("ZRANGE", KEYS[3], "0", "-1", "WITHSCORES"), {}
    for i = 1, #ends, 2 do
      over[ends[i]] = tonumber(ends[i + 1]) <= now
    end
    for _, waiter in ipairs(queue) do
      if not over[waiter] then
        channel = channel .. ":" .. waiter
        break
      end
    end
  end
  return redis.call("PUBLISH", channel, "0")
end
