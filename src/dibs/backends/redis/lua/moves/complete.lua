--@ audit governed/spending governed/asking runs ?governed/holders
-- Move running jobs to succeeded. ARGV: the worker that claimed the known ones, then for each its member in `running`,
-- its output, its cost and what is known of it: nothing, or its number in 16 digits and its tenant. Known are only jobs
-- without a unique key that never ran before; what is known never changes.
-- The hottest of all moves: a job is written once and read at most once, everything else is one call for all.
local SEQ, LOCK, ATTEMPTS = 2, 3, 4
local SIXTEEN_ZEROS = string.rep('0', 16)
local asked, answers, held, left, by_seq, by_time = {}, {}, {}, {}, {}, {}
local facts_of, worker_of_lock = {}, {}

for index = 2, #ARGV, 4 do
  asked[#asked + 1] = ARGV[index]
end

-- The fence: only who finds its very member in `running` held the job. This is the first write, because a server without
-- memory refuses a script whose first write would need some.
local function take_all_held()
  local removed = remove_runs(RUNNING, asked)
  for index = 1, removed do
    answers[index] = 1
  end
  if removed == #asked then
    return
  end
  local scores = call('ZMSCORE', RUNNING, unpack(asked, removed + 1))
  for index, score in ipairs(scores) do
    answers[removed + index] = score and 1 or 0
    if score then
      held[#held + 1] = asked[removed + index]
    end
  end
  send('ZREM', RUNNING, held)
end

-- Jobs of one kind have the same bytes here, and those claimed together the same lock: each is read once.
local function read_fixed(packed)
  local facts = facts_of[packed]
  if not facts then
    facts = cmsgpack.unpack(packed)
    facts_of[packed] = facts
  end
  return facts
end

local function read_worker(lock)
  local worker = worker_of_lock[lock]
  if not worker then
    worker = worker_of({ lock = lock })
    worker_of_lock[lock] = worker
  end
  return worker
end

-- Let go of what the job held. Answers its number in 16 digits, its tenant and its worker.
local function settle(member, id, where)
  local row = call('HMGET', where, 'fixed', 'seq', 'lock', 'attempts')
  local fixed, seq = read_fixed(row[1]), row[SEQ]
  if is_governing then
    hooks.let_go(fixed, member)
  end
  if row[ATTEMPTS] then
    call('HDEL', where, 'error')
  end
  if fixed[UNIQUE_KEY] then
    call('ZREM', key('held:', unique_name(fixed)), id)
  end
  return string.sub(SIXTEEN_ZEROS, #seq + 1) .. seq, fixed[TENANT], read_worker(row[LOCK])
end

local function complete(member, output, cost, facts)
  local id = string.sub(member, 17)
  local where = job_key(id)
  local seq, tenant, worker = string.sub(facts, 1, 16), string.sub(facts, 17), ARGV[1]
  call('HSET', where, 'state', 'succeeded', 'finished_at', stamp, 'output', output)
  if facts == '' or is_governing then
    seq, tenant, worker = settle(member, id, where)
  end
  add_cost(id, tenant, cost)
  local count = #left
  left[count + 1] = id
  by_seq[2 * count + 1], by_seq[2 * count + 2] = seq, id
  by_time[2 * count + 1], by_time[2 * count + 2] = stamp, seq .. id
  record_success(member, tenant, worker)
end

take_all_held()
for index, answer in ipairs(answers) do
  if answer == 1 then
    complete(asked[index], ARGV[4 * index - 1], ARGV[4 * index], ARGV[4 * index + 1])
  end
end

local gone = remove_runs(ACTIVE, left)
for from = gone + 1, #left, 5000 do
  call('ZREM', ACTIVE, unpack(left, from, math.min(from + 4999, #left)))
end
send('ZADD', key('done:', 'succeeded'), by_seq)
send('ZADD', key('finished:', 'succeeded'), by_time)
write_audit()
tell_queues()
return answers
