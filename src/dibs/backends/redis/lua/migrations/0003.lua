--@ migration
-- Governed lanes, rules, sources and seals: nothing is moved here. Jobs with a source or a key that wait in plain lines
-- are moved by the claim that meets them.
call('HSETNX', key('layout'), 'rules', key('rules'))
call('HSETNX', key('layout'), 'sources', key('source:'))
call('HSETNX', key('layout'), 'seals', key('seals:'))
return 1
