--@ migration
-- Named leases, and the channel of notices.
call('HSETNX', key('layout'), 'notices', key('notices'))
call('HSETNX', key('layout'), 'leases', key('lease:'))
return 1
