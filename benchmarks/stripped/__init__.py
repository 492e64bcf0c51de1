"""Each store with admission taken out, for comparison only: what plain jobs would cost if there were no limits at all.

Taken out is what looks for rules, governed lanes and holders while jobs are stored, claimed and completed. What cannot
be taken out without another layout of the data stays in both: columns, indexes, and facts that one statement reads
beside others.
"""
