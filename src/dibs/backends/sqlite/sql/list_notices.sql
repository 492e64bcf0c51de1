SELECT queue, number FROM dibs_notices
