-- Names, versions, keys and values are bytea: text has a collation and no NUL.
-- A bank has a number of its own, so that renaming it touches one row and a bank
-- born again under an old name meets none of the old one's entries. Its last
-- versions tell a writer whose connection broke whether its commit took place.
CREATE TABLE leanmem_bank (
	id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name    bytea NOT NULL UNIQUE,
	version bytea NOT NULL,
	recent  bytea[] NOT NULL
);

CREATE TABLE leanmem_kv (
	bank bigint NOT NULL,
	k    bytea  NOT NULL,
	v    bytea  NOT NULL,
	PRIMARY KEY (bank, k)
);

-- Blocks hold vectors and counted terms; compressing them costs more than it
-- saves.
ALTER TABLE leanmem_kv ALTER COLUMN v SET STORAGE EXTERNAL;

-- The row of a bank changes with every commit: room on its page keeps the
-- change there, and frequent vacuuming keeps the page clean.
ALTER TABLE leanmem_bank SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
ALTER TABLE leanmem_kv SET (autovacuum_vacuum_scale_factor = 0.05);
