-- When a park was closed: one that was by a clock which has been set back since is not believed.
ALTER TABLE dibs_parks ADD COLUMN noted_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX dibs_parks_noted ON dibs_parks (noted_at) WHERE is_open = 0;
