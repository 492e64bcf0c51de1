--@ governed/source_rows
-- Note how a fetch went. ARGV: see source_rows; then verdict, token of the job, for how long the source wants to be
-- left alone, who the breaker is in the log.
local verdict, token, wait = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
local source = get_source()
local was_broken, prober = is_broken(source), find_prober()
local is_probe = token ~= 0 and token == (prober and tonumber(string.sub(prober, 1, 16)) or source.lone_probe)

local function note_success()
  call('HSET', where, 'last_success_at', stamp, 'parser_streak', 0, 'host_streak', 0)
  -- A fetch that began before the breaker opened says nothing about how the source is now: only the probe closes it.
  if was_broken and not is_probe then
    return
  end
  call('HSET', where, 'failure_streak', 0, 'lone_probe', 0)
  if was_broken and source.held_until then
    -- What an operator said holds on.
    call('HSET', where, 'paused_until', text(source.held_until))
  elseif was_broken then
    call('HDEL', where, 'paused_until')
  end
end

local function note_fault()
  if was_broken and not is_probe then
    return
  end
  local streak = call('HINCRBY', where, 'failure_streak', 1)
  if streak >= source.rule[FAILURE_LIMIT] then
    local held_until = source.paused_until
    if was_broken then
      held_until = source.held_until
    end
    call('HSET', where, 'lone_probe', 0, 'paused_until', text(math.max(now + source.rule[PAUSE], held_until or 0)))
  end
end

if verdict == 'ok' then
  note_success()
elseif verdict == 'limited' then
  call('HSET', where, 'limited_until', text(math.max(now + wait, source.limited_until or 0)))
else
  call('HSET', where, 'last_failure_at', stamp)
  if verdict == 'provider_fault' then
    note_fault()
  else
    call('HINCRBY', where, verdict == 'parser_fault' and 'parser_streak' or 'host_streak', 1)
  end
end

local after = find_source(name)
if not is_broken(after) or after.failures ~= source.failures then
  -- Whoever tried it has told how it is, and may run on for hours: the next one must be able to try it again.
  call('HDEL', key('probes'), name)
end
if is_broken(after) ~= was_broken then
  local action = was_broken and 'SOURCE_MENDED' or 'SOURCE_BROKEN'
  record_of_source(action, { actor = ARGV[7], reason = '' }, '{"failure_streak":' .. text(after.failures) .. '}')
end
return end_source_move()
