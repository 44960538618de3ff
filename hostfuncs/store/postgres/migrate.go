package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"

	"github.com/jackc/pgx/v5"

	"github.com/leanmem/leanmem/core/effect"
)

// migrations are applied in the order of their names, each once.
//
//go:embed migrations/*.sql
var migrations embed.FS

// lockNumber serialises hosts that start at the same time.
const lockNumber = 0x6c65616e6d656d

func (s *Store) migrate(ctx context.Context) error {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return fmt.Errorf("list migrations: %w", err)
	}
	return s.retry(ctx, "open PostgreSQL store", func(c *pgx.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			if s.opts.NoMigrate {
				return s.checkVersion(ctx, tx, len(names))
			}
			return s.apply(ctx, tx, names)
		})
	})
}

// apply runs what the schema lacks. The lock and the search path end with the
// transaction, as a pooler wants it.
func (s *Store) apply(ctx context.Context, tx pgx.Tx, names []string) error {
	if _, err := tx.Exec(ctx, fmt.Sprintf("SELECT pg_advisory_xact_lock(%d, hashtext('%s'))", lockNumber>>32&0x7fffffff, s.opts.Schema)); err != nil {
		return err
	}
	setup := fmt.Sprintf(`CREATE SCHEMA IF NOT EXISTS "%[1]s"; SET LOCAL search_path TO "%[1]s"; CREATE TABLE IF NOT EXISTS leanmem_schema (version int NOT NULL)`, s.opts.Schema)
	if _, err := tx.Conn().PgConn().Exec(ctx, setup).ReadAll(); err != nil {
		return err
	}
	version, err := s.schemaVersion(ctx, tx)
	if err != nil {
		return err
	}
	if version > len(names) {
		return tooNew(version, len(names))
	}
	for i, name := range names[version:] {
		sql, err := migrations.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read migration: %w", err)
		}
		if _, err := tx.Conn().PgConn().Exec(ctx, string(sql)).ReadAll(); err != nil {
			return fmt.Errorf("apply migration %s: %w", path.Base(name), err)
		}
		if _, err := tx.Exec(ctx, "INSERT INTO leanmem_schema (version) VALUES ($1::int)", version+i+1); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) checkVersion(ctx context.Context, tx pgx.Tx, want int) error {
	if _, err := tx.Exec(ctx, fmt.Sprintf(`SET LOCAL search_path TO "%s"`, s.opts.Schema)); err != nil {
		return err
	}
	version, err := s.schemaVersion(ctx, tx)
	switch {
	case err != nil:
		return err
	case version > want:
		return tooNew(version, want)
	case version < want:
		return effect.Errorf(effect.StoreFailed, "open PostgreSQL store: the tables have version %d, this release needs %d; open it once with a role that may change them", version, want)
	}
	return nil
}

func (s *Store) schemaVersion(ctx context.Context, tx pgx.Tx) (version int, err error) {
	err = tx.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM leanmem_schema").Scan(&version)
	return version, err
}

func tooNew(version, known int) error {
	return effect.Errorf(effect.FormatTooNew, "open PostgreSQL store: the tables have version %d; this release knows up to %d", version, known)
}
