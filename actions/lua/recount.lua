-- Changes the entry count of a client in a lock kept in a hash, and begins its lease anew: both, or neither. The text that
-- calls recount follows this one in the same chunk.
--
-- KEYS[1]  the lock
-- ARGV[1]  the field of the client
--
-- recount(by, lease) adds by, a number as text. A lease of "0" leaves the lease as it is.
--
-- Returns, from recount, the new count as text; or, where the user may not set the lease, nil and the error, which is what
-- the script must return. It ends no script, and so answers nothing.
local function recount(by, lease)
  local count = redis.call("HINCRBY", KEYS[1], ARGV[1], by)
  if lease ~= "0" then
    local set = redis.pcall("PEXPIRE", KEYS[1], lease)
    if type(set) == "table" and set["err"] then
      redis.call("HINCRBY", KEYS[1], ARGV[1], string.format("%.0f", -tonumber(by)))
      return nil, set
    end
  end
  return string.format("%.0f", count)
end
