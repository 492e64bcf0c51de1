"""How often agents may apply: caps a day and cool-downs, of everything, a board or a company."""
