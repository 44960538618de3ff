package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

type statements struct {
	get, scan, banks, version, was, rename string
	create, change, remove                 string
	compact                                []string
}

// statementsIn gives the statements on the tables of a schema.
//
// In change and remove, the row of the bank is locked and its version compared
// before anything else; a concurrent commit makes the statement wait and then
// find no row. The entries are changed by the same statement, so they follow, and
// so does the record that the version landed.
func statementsIn(schema string) statements {
	in := strings.NewReplacer("bank_table", `"`+schema+`".leanmem_bank`, "kv_table", `"`+schema+`".leanmem_kv`, "landed_table", `"`+schema+`".leanmem_landed`)
	const write = `,
		gone AS (DELETE FROM kv_table USING b WHERE bank = b.id AND k = ANY($4::bytea[])),
		put AS (
			INSERT INTO kv_table (bank, k, v)
			SELECT b.id, w.k, w.v FROM b, unnest($5::bytea[], $6::bytea[]) AS w(k, v)
			ON CONFLICT (bank, k) DO UPDATE SET v = excluded.v
		),
		past AS (DELETE FROM landed_table USING b WHERE bank = b.id AND until < now()),
		landed AS (INSERT INTO landed_table (bank, version, until) SELECT b.id, $3, now() + make_interval(secs => $7::float8) FROM b)
		SELECT id FROM b`
	return statements{
		get: in.Replace(`SELECT b.version, e.k, e.v FROM bank_table b
			LEFT JOIN kv_table e ON e.bank = b.id AND e.k = ANY($2::bytea[]) WHERE b.name = $1`),
		// The page ends with the entry that reaches its size: before is the size
		// of those in front of an entry.
		scan: in.Replace(`SELECT b.version, p.k, p.v, p.total FROM bank_table b LEFT JOIN LATERAL (
				SELECT k, v, total FROM (
					SELECT k, v, count(*) OVER () AS total,
						sum(octet_length(k) + octet_length(v)) OVER (ORDER BY k ROWS UNBOUNDED PRECEDING) - octet_length(k) - octet_length(v) AS before
					FROM (
						SELECT k, v FROM kv_table WHERE bank = b.id AND k >= $2::bytea AND k > $3::bytea AND ($4::bytea IS NULL OR k < $4::bytea)
						ORDER BY k LIMIT $5::int
					) page
				) sized WHERE before < $6::bigint
			) p ON true WHERE b.name = $1 ORDER BY p.k`),
		banks:   in.Replace(`SELECT name FROM bank_table WHERE name > $1 ORDER BY name LIMIT $2::int`),
		version: in.Replace(`SELECT version FROM bank_table WHERE name = $1`),
		was:     in.Replace(`SELECT EXISTS (SELECT FROM landed_table l WHERE l.bank = b.id AND l.version = $2) FROM bank_table b WHERE name = $1`),
		rename:  in.Replace(`UPDATE bank_table SET name = $2 WHERE name = $1`),
		create: in.Replace(`WITH b AS (
			INSERT INTO bank_table (name, version) SELECT $1, $3::bytea WHERE $2::bytea = '' ON CONFLICT (name) DO NOTHING RETURNING id)` + write),
		change: in.Replace(`WITH b AS (
			UPDATE bank_table SET version = $3::bytea WHERE name = $1 AND version = $2 RETURNING id)` + write),
		remove: in.Replace(`WITH b AS (DELETE FROM bank_table WHERE name = $1 AND version = $2 RETURNING id),
			gone AS (DELETE FROM kv_table USING b WHERE bank = b.id),
			past AS (DELETE FROM landed_table USING b WHERE bank = b.id)
			SELECT id FROM b`),
		compact: []string{
			in.Replace(`DELETE FROM landed_table WHERE until < now()`),
			in.Replace(`VACUUM (FULL) kv_table`), in.Replace(`VACUUM (FULL) bank_table`), in.Replace(`VACUUM (FULL) landed_table`),
		},
	}
}

// Commit implements hostfuncs.Store. When a connection is lost the outcome is
// unknown; the statement is sent again, and if the new version is then among
// those that landed the first took place.
func (s *Store) Commit(ctx context.Context, bank, expected, version string, writes []effect.Write) (ok bool, current string, err error) {
	if err := hostfuncs.CheckCommit(bank, expected, version, writes); err != nil {
		return false, "", err
	}
	sql, args := s.prepare(bank, expected, version, writes)
	err = s.resend(ctx, "commit", func(c *pgx.Conn, first time.Time) error {
		ok, err = once(ctx, c, sql, args)
		if err != nil {
			return err
		}
		if current = version; ok {
			return nil
		}
		if current, err = s.version(ctx, c, bank); err != nil {
			return err
		}
		switch {
		case !first.IsZero():
			ok, err = s.patience().Landed(first, version, current, func() (bool, error) { return was(ctx, c, s.sql.was, bank, version) })
		case version == "" && expected == "":
			ok = current == "" // there is nothing to remove
		}
		if ok {
			current = version
		}
		return err
	})
	if err != nil {
		return false, "", err
	}
	return ok, current, nil
}

func (s *Store) prepare(bank, expected, version string, writes []effect.Write) (string, []any) {
	args := []any{[]byte(bank), []byte(expected)}
	if version == "" {
		return s.sql.remove, args
	}
	gone, keys, values := [][]byte{}, [][]byte{}, [][]byte{}
	for _, w := range writes {
		if w.Delete {
			gone = append(gone, w.Key)
		} else {
			keys, values = append(keys, w.Key), append(values, nonNil(w.Value))
		}
	}
	args = append(args, []byte(version), gone, keys, values, s.patience().Remembered().Seconds())
	if expected == "" {
		return s.sql.create, args
	}
	return s.sql.change, args
}

func once(ctx context.Context, c *pgx.Conn, sql string, args []any) (bool, error) {
	var id int64
	err := c.QueryRow(ctx, sql, args...).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// was reports whether a version is among those of a bank that landed.
func was(ctx context.Context, c *pgx.Conn, sql, bank, version string) (ok bool, err error) {
	err = c.QueryRow(ctx, sql, []byte(bank), []byte(version)).Scan(&ok)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return ok, err
}

// DropBank implements hostfuncs.Store. It removes the version that it read:
// entries of a commit that slips in between would not be seen by the statement.
func (s *Store) DropBank(ctx context.Context, bank string) error {
	if err := hostfuncs.CheckBank(bank); err != nil {
		return err
	}
	if err := hostfuncs.ContextError(ctx, "drop bank"); err != nil {
		return err
	}
	for {
		_, version, err := s.Get(ctx, bank, nil)
		if err != nil || version == "" {
			return err
		}
		ok, _, err := s.Commit(ctx, bank, version, "", nil)
		if err != nil || ok {
			return err
		}
	}
}
