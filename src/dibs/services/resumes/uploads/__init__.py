"""Resumes that were handed in: kept, read at once and further by jobs, corrected by people, forgotten."""
