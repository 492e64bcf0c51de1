--@ core
-- The part of the log that no seal covers yet. Entries up to `sealed_through` are sealed, and those behind it whose
-- numbers are in `sealed`. One entry of the stream may tell of several successes, see audit; its id is the first number.
local function read_mark()
  return number(call('GET', key('sealed_through')))
end

local function find_field(fields, name)
  for index = 1, #fields, 2 do
    if fields[index] == name then
      return fields[index + 1]
    end
  end
  return ''
end

local function first_of(entry)
  return tonumber(string.match(entry[1], '^%d+'))
end

local function last_of(entry)
  local others = find_field(entry[2], 'others')
  local _, joints = string.gsub(others, '\31', '')
  return first_of(entry) + (others == '' and 0 or joints + 1)
end

local function read_entry_at(sequence)
  local entry = call('XREVRANGE', key('audit'), text(sequence) .. '-0', '-', 'COUNT', 1)[1]
  return entry and last_of(entry) >= sequence and entry or nil
end

-- Where a walk over what lies behind a number begins: an entry may reach over it.
local function begin_behind(sequence)
  local entry = read_entry_at(sequence + 1)
  return entry and entry[1] or text(sequence + 1) .. '-0'
end

local function is_sealed(sequence, mark)
  return sequence <= mark or call('ZSCORE', key('sealed'), text(sequence))
end
