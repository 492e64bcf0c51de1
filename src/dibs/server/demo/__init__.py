"""Made-up work for whoever wants to look around: `dibs up --demo`. Nothing in here reaches outside."""
