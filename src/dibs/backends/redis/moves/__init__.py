"""The moves of jobs, one file a stage of a job's life."""
