SELECT body FROM {schema}.pages WHERE slot = $1
