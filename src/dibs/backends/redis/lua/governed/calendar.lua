--@ governed/today
-- UTC days and months, as whole numbers of days since 1970 and as instants.
-- The Gregorian calendar repeats every 146,097 days; years begin in March here, so that a leap day comes last.
local function day_of_month(day)
  local in_era = (day + 719468) % 146097
  local leaps = math.floor(in_era / 1460) - math.floor(in_era / 36524) + math.floor(in_era / 146096)
  local year = math.floor((in_era - leaps) / 365)
  local in_year = in_era - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local month = math.floor((5 * in_year + 2) / 153)
  return in_year - math.floor((153 * month + 2) / 5) + 1
end

local function first_of_month(day)
  return day - day_of_month(day) + 1
end

local function next_month(day)
  return first_of_month(first_of_month(day) + 32)
end
