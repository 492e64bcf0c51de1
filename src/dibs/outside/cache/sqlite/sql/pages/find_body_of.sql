SELECT body FROM pages WHERE slot = :slot
