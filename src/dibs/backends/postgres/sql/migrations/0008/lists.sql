-- For pages that list unfinished jobs, the newest first. It knows ranges of pages and not rows, so that a claim or a
-- completion pays next to nothing for it; lists ask it for windows (reader.py).
CREATE INDEX jobs_by_seq ON {schema}.jobs USING brin (seq) WITH (pages_per_range = 32, autosummarize = on);
-- Who is whose child; a job without a parent pays nothing.
CREATE INDEX jobs_parent ON {schema}.jobs (parent_id) WHERE parent_id IS NOT NULL;
-- What failed and will be tried again; a job that never failed pays nothing.
CREATE INDEX jobs_retryable ON {schema}.jobs (seq) WHERE state = 'retryable';
