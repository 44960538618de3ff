package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/leanmem/leanmem/core/effect"
)

// lifetime is how old a connection may become: behind a balancer it would
// otherwise hang on the server that was there first.
const lifetime = time.Hour

// pool lends connections, at most so many at once.
type pool struct {
	cfg   *pgx.ConnConfig
	slots chan struct{}

	mu     sync.Mutex
	idle   []lent
	closed bool
}

type lent struct {
	*pgx.Conn
	since time.Time
}

func newPool(cfg *pgx.ConnConfig, size int) *pool {
	return &pool{cfg: cfg, slots: make(chan struct{}, size)}
}

// with runs f with a connection that nobody else uses meanwhile.
func (p *pool) with(ctx context.Context, f func(c *pgx.Conn) error) error {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	c, err := p.take(ctx)
	if err != nil {
		return err
	}
	err = f(c.Conn)
	if c.IsClosed() {
		// The server went away: the idle connections are dead, too.
		p.drop()
		return err
	}
	p.give(c)
	return err
}

func (p *pool) take(ctx context.Context) (lent, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return lent{}, effect.Errorf(effect.StoreFailed, "the store is closed")
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	c, err := pgx.ConnectConfig(ctx, p.cfg.Copy())
	return lent{c, time.Now()}, err
}

func (p *pool) give(c lent) {
	p.mu.Lock()
	keep := !p.closed && time.Since(c.since) < lifetime
	if keep {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !keep {
		end(c)
	}
}

func (p *pool) drop() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, c := range idle {
		end(c)
	}
}

// close waits for the connections that are lent.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.drop()
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	for range cap(p.slots) {
		<-p.slots
	}
}

func end(c lent) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c.Close(ctx)
}
