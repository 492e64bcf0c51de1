-- When a barrier was put up: one that was by a clock which has been set back since is not believed.
ALTER TABLE {schema}.barriers ADD COLUMN noted_at timestamptz NOT NULL DEFAULT '-infinity';
CREATE INDEX barriers_noted ON {schema}.barriers (noted_at);
