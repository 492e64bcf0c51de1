DELETE FROM flights WHERE ends_at <= :now
