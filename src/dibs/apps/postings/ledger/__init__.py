"""The ledger of answers: what forms were answered, where it comes from, and whether a person approved it."""
