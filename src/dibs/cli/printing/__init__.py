"""What commands print: plain lines, tables for people, JSON for programs, bars for long work."""
