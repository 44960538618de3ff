-- The versions of a bank's last minutes tell a writer whose connection broke
-- whether its commit took place. There were sixteen in an array: others could
-- commit more of them before the writer asked.
CREATE TABLE leanmem_landed (
	bank    bigint NOT NULL,
	version bytea NOT NULL,
	until   timestamptz NOT NULL
);

CREATE INDEX leanmem_landed_until ON leanmem_landed (bank, until);

ALTER TABLE leanmem_landed SET (autovacuum_vacuum_scale_factor = 0.05);

ALTER TABLE leanmem_bank DROP COLUMN recent;
