// Package postgres keeps banks in PostgreSQL, for several hosts that serve the
// same banks. A commit is one statement: the version is compared and set in a
// row of its own, and whether a row was found decides about the rest.
//
// It works behind a pooler in transaction mode: no prepared statements, no
// session state.
package postgres

import (
	"context"
	"errors"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// Options of Open. Zero values are the defaults named beside them.
type Options struct {
	// Schema holds the tables; banks of different schemas never meet, and a
	// database role can be bound to one. "public".
	Schema string
	// NoMigrate leaves the tables as they are, for a role that may not create
	// any; Open fails if they are not of this release.
	NoMigrate bool
	// SimpleProtocol sends everything as text, for poolers that know nothing
	// else. It doubles the bytes of a value.
	SimpleProtocol bool
	MaxConns       int           // 8
	ConnectTimeout time.Duration // 5 seconds
	// Patience is how long a request goes on trying when the server restarts;
	// its context may end it before. 10 seconds.
	Patience time.Duration
}

// Store is a hostfuncs.Store in PostgreSQL.
type Store struct {
	pool *pgxpool.Pool
	opts Options
	sql  statements

	closed atomic.Bool
}

var (
	_ hostfuncs.Store     = (*Store)(nil)
	_ hostfuncs.Compacter = (*Store)(nil)
)

// Open connects with a connection string or URL and brings the tables up to
// date.
func Open(ctx context.Context, dsn string, o Options) (*Store, error) {
	if o.Schema == "" {
		o.Schema = "public"
	}
	if !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`).MatchString(o.Schema) {
		return nil, effect.Errorf(effect.InvalidArgument, "open PostgreSQL store: the schema's name is not a plain identifier")
	}
	if o.MaxConns <= 0 {
		o.MaxConns = 8
	}
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = 5 * time.Second
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		// The library's message quotes the string, which may hold a password.
		return nil, effect.Errorf(effect.InvalidArgument, "open PostgreSQL store: the connection string cannot be read")
	}
	cfg.MaxConns, cfg.MinConns, cfg.MaxConnLifetime = int32(o.MaxConns), 0, lifetime
	conn := cfg.ConnConfig
	conn.ConnectTimeout = o.ConnectTimeout
	conn.DefaultQueryExecMode = pgx.QueryExecModeExec
	if o.SimpleProtocol {
		conn.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	}
	conn.StatementCacheCapacity, conn.DescriptionCacheCapacity = 0, 0
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, storeError("open PostgreSQL store", err)
	}
	s := &Store{pool: pool, opts: o, sql: statementsIn(o.Schema)}
	if err := s.migrate(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close implements hostfuncs.Store.
func (s *Store) Close() error {
	s.closed.Store(true)
	s.pool.Close() // waits for requests under way
	return nil
}

// Get implements hostfuncs.Store.
func (s *Store) Get(ctx context.Context, bank string, keys [][]byte) ([][]byte, string, error) {
	if err := hostfuncs.CheckGet(bank, keys); err != nil {
		return nil, "", err
	}
	var values [][]byte
	var version string
	err := s.retry(ctx, "get", func(c *pgx.Conn) error {
		var err error
		values, version, err = s.get(ctx, c, bank, keys)
		return err
	})
	return values, version, err
}

func (s *Store) get(ctx context.Context, c *pgx.Conn, bank string, keys [][]byte) ([][]byte, string, error) {
	at := make(map[string][]int, len(keys))
	for i, k := range keys {
		at[string(k)] = append(at[string(k)], i)
	}
	wanted := make([][]byte, 0, len(at))
	for k := range at {
		wanted = append(wanted, []byte(k))
	}
	rows, err := c.Query(ctx, s.sql.get, []byte(bank), wanted)
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	values, version, total := make([][]byte, len(keys)), "", 0
	for rows.Next() {
		var v, key, value []byte
		if err := rows.Scan(&v, &key, &value); err != nil {
			return nil, "", err
		}
		version = string(v)
		if key == nil {
			continue
		}
		if total += len(value); total > hostfuncs.MaxReply {
			return nil, "", effect.Errorf(effect.TooLarge, "get %d keys: more than %d bytes at once", len(keys), hostfuncs.MaxReply)
		}
		for n, i := range at[string(key)] {
			if values[i] = value; n > 0 {
				values[i] = append([]byte{}, value...)
			}
		}
	}
	return values, version, rows.Err()
}

// Scan implements hostfuncs.Store.
func (s *Store) Scan(ctx context.Context, bank string, prefix, after []byte, limit int) (hostfuncs.Page, error) {
	limit, err := hostfuncs.CheckScan(bank, prefix, after, limit)
	if err != nil {
		return hostfuncs.Page{}, err
	}
	var page hostfuncs.Page
	err = s.retry(ctx, "scan", func(c *pgx.Conn) error {
		var err error
		page, err = s.scan(ctx, c, bank, prefix, after, limit)
		return err
	})
	return page, err
}

func (s *Store) scan(ctx context.Context, c *pgx.Conn, bank string, prefix, after []byte, limit int) (p hostfuncs.Page, err error) {
	// One entry more than asked for tells whether there are further ones.
	rows, err := c.Query(ctx, s.sql.scan, []byte(bank), nonNil(prefix), nonNil(after), beyond(prefix), limit+1, hostfuncs.PageBytes)
	if err != nil {
		return p, err
	}
	defer rows.Close()
	for rows.Next() {
		var version, key, value []byte
		var total *int64
		if err := rows.Scan(&version, &key, &value, &total); err != nil {
			return p, err
		}
		p.Version = string(version)
		if key == nil {
			continue
		}
		if len(p.Entries) == limit {
			p.More = true
			continue
		}
		p.Entries = append(p.Entries, effect.Entry{Key: key, Value: value})
		p.More = int64(len(p.Entries)) < *total
	}
	return p, rows.Err()
}

// beyond is the first key after all that have the prefix, or nil for no end.
func beyond(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			end := append([]byte{}, prefix[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// Banks implements hostfuncs.Store.
func (s *Store) Banks(ctx context.Context, after string, limit int) (names []string, more bool, err error) {
	limit, err = hostfuncs.CheckBanks(after, limit)
	if err != nil {
		return nil, false, err
	}
	err = s.retry(ctx, "list banks", func(c *pgx.Conn) error {
		names = nil
		rows, err := c.Query(ctx, s.sql.banks, []byte(after), limit+1)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var name []byte
			if err := rows.Scan(&name); err != nil {
				return err
			}
			names = append(names, string(name))
		}
		return rows.Err()
	})
	if len(names) > limit {
		names, more = names[:limit], true
	}
	return names, more, err
}

// RenameBank implements hostfuncs.Store.
func (s *Store) RenameBank(ctx context.Context, from, to string) error {
	if err := hostfuncs.CheckRename(from, to); err != nil {
		return err
	}
	return s.resend(ctx, "rename bank", func(c *pgx.Conn, first time.Time) error {
		tag, err := c.Exec(ctx, s.sql.rename, []byte(from), []byte(to))
		switch {
		case isUnique(err):
			return effect.Errorf(effect.BankExists, "rename bank %q to %q: there is one of that name", from, to)
		case err != nil:
			return err
		case tag.RowsAffected() == 0 && first.IsZero():
			return effect.Errorf(effect.BankNotFound, "rename bank %q: there is none", from)
		case tag.RowsAffected() == 0:
			return s.renamedBefore(ctx, c, from, to)
		}
		return nil
	})
}

// renamedBefore tells whether an attempt whose answer was lost took place.
func (s *Store) renamedBefore(ctx context.Context, c *pgx.Conn, from, to string) error {
	version, err := s.version(ctx, c, to)
	if err == nil && version == "" {
		err = effect.Errorf(effect.BankNotFound, "rename bank %q: there is none", from)
	}
	return err
}

func (s *Store) version(ctx context.Context, c *pgx.Conn, bank string) (string, error) {
	var v []byte
	err := c.QueryRow(ctx, s.sql.version, []byte(bank)).Scan(&v)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return string(v), err
}

// Compact implements hostfuncs.Compacter: it rewrites the tables, which deleted
// rows otherwise leave only when their pages are used again. Requests wait for
// it. Write-ahead logs and replicas keep what their settings say.
func (s *Store) Compact(ctx context.Context) error {
	return s.retry(ctx, "compact PostgreSQL store", func(c *pgx.Conn) error {
		for _, sql := range s.sql.compact {
			if _, err := c.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
}
