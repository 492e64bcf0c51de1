SELECT now FROM dibs_clock
