"""How this process gets at the file: one thread that writes, some that read, one that watches."""
