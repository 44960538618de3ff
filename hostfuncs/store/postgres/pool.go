package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/leanmem/leanmem/core/effect"
)

// lifetime is how old a connection may become: behind a balancer it would
// otherwise hang on the server that was there first.
const lifetime = time.Hour

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
