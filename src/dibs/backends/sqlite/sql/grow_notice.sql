INSERT INTO dibs_notices (queue, number) VALUES (?1, 1)
ON CONFLICT (queue) DO UPDATE SET number = number + 1
RETURNING number
