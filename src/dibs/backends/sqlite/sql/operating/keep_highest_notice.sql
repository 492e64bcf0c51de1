INSERT INTO dibs_notices (queue, number) SELECT '', number FROM dibs_notices WHERE queue = ?1
ON CONFLICT (queue) DO UPDATE SET number = max(number, excluded.number)
