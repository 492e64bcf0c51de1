"""How right a profile is: each field beside the truth, entries aligned first, one judgement for everything given."""
