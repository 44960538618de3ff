// Package patience waits for a store's server while it restarts or fails over,
// and finds out afterwards what became of a commit whose answer was lost. It may
// not know any server: which errors pass is the store's to say.
package patience

import (
	"context"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// The wait between two attempts doubles up to a bound: a server that is back
// should not stand idle.
const (
	firstWait   = 10 * time.Millisecond
	longestWait = 200 * time.Millisecond
)

// Patience is how a store waits.
type Patience struct {
	Limit   time.Duration                       // for a request with all its attempts
	Passing func(error) bool                    // whether an error may be gone when the request is sent again
	Coded   func(doing string, err error) error // what a request fails with
}

// Do performs a request until it has an answer, its error is none that passes,
// the next attempt would begin past the limit, or the context ends.
func (p Patience) Do(ctx context.Context, doing string, request func() error) error {
	if err := hostfuncs.ContextError(ctx, doing); err != nil {
		return err
	}
	begin := time.Now()
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		err := request()
		if err == nil {
			return nil
		}
		if e := hostfuncs.ContextError(ctx, doing); e != nil {
			return e
		}
		if !p.Passing(err) || time.Since(begin)+wait > p.Limit {
			return p.Coded(doing, err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return hostfuncs.ContextError(ctx, doing)
		}
	}
}

// Sent notes when a request was sent first. The zero value is of one that was not
// sent yet; an attempt that finds no connection sends nothing.
type Sent struct{ first time.Time }

// Again notes that the request is sent now, and gives the time when it was sent
// first, which is zero the first time.
func (s *Sent) Again() time.Time {
	before := s.first
	if before.IsZero() {
		s.first = time.Now()
	}
	return before
}

// onTheWay is how long the last attempt may take from its beginning until the
// server performs it, with the wait for a connection.
const onTheWay = time.Minute

// Remembered is how long a server remembers the version of a commit, so that
// every attempt to send it again finds it there. It is a time and no number of
// versions: while one writer waits to ask, others may commit any number.
func (p Patience) Remembered() time.Duration { return p.Limit + onTheWay }

// Landed tells of a commit that was sent again and refused whether it had taken
// place before. first is when it was sent first, current the version that stands
// now; recorded tells whether the server remembers the commit's own. If it may
// have forgotten it, nobody knows, and that is an error.
func (p Patience) Landed(first time.Time, version, current string, recorded func() (bool, error)) (bool, error) {
	if version == "" { // the bank was to go
		return current == "", nil
	}
	landed, err := recorded()
	if err == nil && !landed && time.Since(first) > p.Remembered() {
		return false, effect.Retryf(effect.StoreFailed, "commit: whether it took place is not known: its answer was lost %s ago", time.Since(first).Round(time.Second))
	}
	return landed, err
}
