SELECT lane, queue, tenant FROM dibs_lanes WHERE source = '' AND concurrency_key = ''
