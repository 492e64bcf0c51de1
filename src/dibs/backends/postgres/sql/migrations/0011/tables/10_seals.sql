-- A row is a run of seals that were made together: `position`, `sequence` and `hash` are those of the last one. Of a lone
-- seal, as all were before, nothing is earlier. Numbers rise within a run.
ALTER TABLE {schema}.seals ADD COLUMN earlier_sequences bigint[], ADD COLUMN earlier_hashes text[] COLLATE "C";
-- Hashes do not become smaller, whatever one tries.
ALTER TABLE {schema}.seals ALTER COLUMN earlier_sequences SET STORAGE EXTERNAL, ALTER COLUMN earlier_hashes SET STORAGE EXTERNAL;
