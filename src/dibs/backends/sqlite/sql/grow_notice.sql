INSERT INTO dibs_notices (queue, number)
VALUES (?1, 1 + coalesce((SELECT number FROM dibs_notices WHERE queue = ''), 0))
ON CONFLICT (queue) DO UPDATE SET number = number + 1
RETURNING number
