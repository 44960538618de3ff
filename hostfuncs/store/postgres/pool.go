package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/store/internal/patience"
)

// lifetime is how old a connection may become: behind a balancer it would
// otherwise hang on the server that was there first.
const lifetime = time.Hour

// retry performs a request until it has an answer: a server that restarts is
// waited for.
func (s *Store) retry(ctx context.Context, doing string, request func(c *pgx.Conn) error) error {
	return s.resend(ctx, doing, func(c *pgx.Conn, _ time.Time) error { return request(c) })
}

// resend does so for a request that must know when it was sent first; it is zero
// the first time.
func (s *Store) resend(ctx context.Context, doing string, request func(c *pgx.Conn, first time.Time) error) error {
	var sent patience.Sent
	return s.patience().Do(ctx, doing, func() error {
		return s.with(ctx, func(c *pgx.Conn) error { return request(c, sent.Again()) })
	})
}

func (s *Store) patience() patience.Patience {
	return patience.Patience{Limit: s.opts.Patience, Passing: passing, Coded: storeError}
}

// with runs f with a connection that nobody else uses meanwhile.
func (s *Store) with(ctx context.Context, f func(c *pgx.Conn) error) error {
	if s.closed.Load() {
		return effect.Errorf(effect.StoreFailed, "the store is closed")
	}
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if err = f(c.Conn()); c.Conn().IsClosed() {
		// The server went away: the idle connections are dead, too, and each
		// would cost a request one retry.
		s.pool.Reset()
	}
	return err
}
