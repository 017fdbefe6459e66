-- Acts on a lock: if all that was observed of it is still so, it runs the commands. In a script that is one moment.
--
-- KEYS[1]  the lock
-- KEYS[2]  and more: all other keys of which ARGV speaks
-- ARGV[1]  and more: the plan, in three kinds of phrases, in this order. Each has a command, after the number of its words:
--   witness N COMMAND                     is asked who is there now, where a fact with the CODE "other" fails; may be left out
--   if N COMMAND COMPARED WANT CODE WHY   a fact. The answer of the command is compared: "=" it is WANT, "<=" or ">=" it is
--                                         a number of at most or at least WANT, "absent" there is none, "present" there is
--                                         one, "none-or" it is "none" or WANT. Of an array of one its element is compared.
--                                         Where that fails, nothing is done, and CODE and WHY are answered
--   do N COMMAND                          what is to be done
--
-- Of several commands none is run unless the user may run all of them: the server is asked before the first. A server does not
-- undo the commands before one that fails: those after it are not run, and the answer says which one it was.
--
-- Returns an array of five:
--   [1] "done"   the commands were run
--       "partly" a command failed, and those before it were run. If the first one fails, nothing was done, and the script
--                answers its error
--       "apart"  nothing was done: there are several commands, and this server (before 7.0) cannot be asked for rights
--       else the CODE of the first fact that does not hold
--   [2] ""       or the WHY of that fact; with "partly" the place of the command that failed, from 1
--   [3] ""       or what the server answered to its question, or to the command that failed: the first 512 bytes
--   [4] the lease that was left in milliseconds before anything was done; -1 there was no TTL, -2 there was no key
--   [5] what the server answered to each command; with "other" what it answered to the witness; else an empty array
local pttl, at, witness, commands, replies = redis.call("PTTL", KEYS[1]), 1, nil, {}, {}
local function words()
  local last = at + 1 + ARGV[at + 1]
  local command = {unpack(ARGV, at + 2, last)}
  at = last + 1
  return command
end
local function plain(reply)
  if type(reply) == "table" then
    reply = reply["ok"] or #reply == 1 and reply[1] or ""
  end
  return type(reply) == "number" and string.format("%.0f", reply) or reply
end
local function holds(said, compared, want)
  if compared == "=" then
    return said == want
  end
  if compared == "none-or" then
    return said == want or said == "none"
  end
  if compared == "absent" or compared == "present" then
    return (said ~= false) == (compared == "present")
  end
  local number, limit = tonumber(said or ""), tonumber(want)
  return number and (compared == "<=" and number <= limit or compared == ">=" and number >= limit)
end
if ARGV[at] == "witness" then
  witness = words()
end
while ARGV[at] == "if" do
  local said = plain(redis.call(unpack(words())))
  local code = ARGV[at + 2]
  if not holds(said, ARGV[at], ARGV[at + 1]) then
    local who = code == "other" and witness and redis.call(unpack(witness)) or {}
    return {code, ARGV[at + 3], string.sub(said or "", 1, 512), pttl, who}
  end
  at = at + 4
end
while at <= #ARGV do
  commands[#commands + 1] = words()
end
for _, command in ipairs(#commands > 1 and commands or {}) do
  if not redis.acl_check_cmd then
    return {"apart", "", "", pttl, {}}
  end
  if not redis.acl_check_cmd(unpack(command)) then
    return redis.error_reply("NOPERM this user may not " .. command[1] .. " these keys or channels")
  end
end
for i, command in ipairs(commands) do
  local reply = redis.pcall(unpack(command))
  if type(reply) == "table" and reply["err"] then
    if i == 1 then
      return reply
    end
    return {"partly", tostring(i), string.sub(reply["err"], 1, 512), pttl, replies}
  end
  replies[i] = plain(reply)
end
return {"done", "", "", pttl, replies}
