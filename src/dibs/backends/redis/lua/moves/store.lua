--@ storing/from_fifth storing/adding ?storing/governed_jobs
-- Store jobs as pending, all or none. ARGV: delay or -1, hold, window, on_conflict, then for each job
-- what the script needs of it, what never changes in it, and its input.
local known = find_known_id()
if known then
  return { 'duplicate', known }
end

local answers = add_all()
tell_queues()
return { 'stored', now, answers }
