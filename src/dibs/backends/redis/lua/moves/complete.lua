--@ audit governed/spending governed/asking ?governed/holders
-- Move running jobs to succeeded. ARGV: for each its member in `running`, its output and its cost.
-- The hottest of all moves: a job is read once and written once, everything else is one call for all.
local SEQ, LOCK, ATTEMPTS = 2, 3, 4
local SIXTEEN_ZEROS = string.rep('0', 16)
local asked, held, left, by_seq, by_time = {}, {}, {}, {}, {}
local facts_of, worker_of_lock = {}, {}

for index = 1, #ARGV, 3 do
  asked[#asked + 1] = ARGV[index]
end
local answers = call('ZMSCORE', RUNNING, unpack(asked))

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

local function complete(member, output, cost)
  local id = string.sub(member, 17)
  local where = job_key(id)
  local row = call('HMGET', where, 'fixed', 'seq', 'lock', 'attempts')
  local fixed, seq = read_fixed(row[1]), row[SEQ]
  call('HSET', where, 'state', 'succeeded', 'finished_at', stamp, 'output', output)
  if is_governing then
    hooks.let_go(fixed, member)
  end
  add_cost(id, fixed[TENANT], cost)
  if row[ATTEMPTS] then
    call('HDEL', where, 'error')
  end
  if fixed[UNIQUE_KEY] then
    call('ZREM', key('held:', unique_name(fixed)), id)
  end
  local count = #left
  left[count + 1] = id
  by_seq[2 * count + 1], by_seq[2 * count + 2] = seq, id
  by_time[2 * count + 1], by_time[2 * count + 2] = stamp, string.sub(SIXTEEN_ZEROS, #seq + 1) .. seq .. id
  record_success(member, fixed[TENANT], read_worker(row[LOCK]))
end

for index, score in ipairs(answers) do
  if score then
    held[#held + 1] = asked[index]
  end
end
-- First, because a server without memory refuses a script whose first write would need some.
send('ZREM', RUNNING, held)

for index, score in ipairs(answers) do
  answers[index] = score and 1 or 0
  if score then
    complete(asked[index], ARGV[3 * index - 1], ARGV[3 * index])
  end
end

send('ZREM', ACTIVE, left)
send('ZADD', key('done:', 'succeeded'), by_seq)
send('ZADD', key('finished:', 'succeeded'), by_time)
write_audit()
tell_queues()
return answers
