"""One file a promise. Each rule looks at one job, and says only what is surely wrong."""
