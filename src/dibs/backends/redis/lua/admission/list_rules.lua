--@ core
-- Read all rules, and the time.
return { stamp, call('HVALS', key('rules')) }
