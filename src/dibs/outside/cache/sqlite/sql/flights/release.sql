DELETE FROM flights WHERE slot = :slot AND owner = :owner
