package patience

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leanmem/leanmem/core/effect"
)

var errAway, errWrong = errors.New("no route to host"), errors.New("syntax error")

var standard = Patience{
	Limit:   10 * time.Second,
	Passing: func(err error) bool { return errors.Is(err, errAway) },
	Coded:   func(doing string, err error) error { return effect.Errorf(effect.StoreFailed, "%s: %v", doing, err) },
}

// server fails so many times, and notes when it was asked.
type server struct {
	failures int
	err      error
	begin    time.Time
	asked    []time.Duration
}

func (s *server) request() error {
	if s.begin.IsZero() {
		s.begin = time.Now()
	}
	s.asked = append(s.asked, time.Since(s.begin))
	if len(s.asked) > s.failures {
		return nil
	}
	return s.err
}

func TestAServerThatComesBackIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{failures: 8, err: errAway}
		if err := standard.Do(t.Context(), "get", s.request); err != nil {
			t.Fatal(err)
		}
		want := []time.Duration{0, 10, 30, 70, 150, 310, 510, 710, 910}
		for i, at := range s.asked {
			if at != want[i]*time.Millisecond {
				t.Errorf("attempt %d after %v, want %v ms", i+1, at, want[i])
			}
		}
	})
}

func TestPatienceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{failures: 1e6, err: errAway}
		err := standard.Do(t.Context(), "get", s.request)
		if !effect.HasCode(err, effect.StoreFailed) || err.Error() != "get: no route to host (store_failed)" {
			t.Errorf("got %v", err)
		}
		if last := s.asked[len(s.asked)-1]; last > standard.Limit || last < standard.Limit-longestWait {
			t.Errorf("the last attempt was after %v", last)
		}
	})
}

func TestWhatDoesNotPassIsNotSentAgain(t *testing.T) {
	s := &server{failures: 1, err: errWrong}
	if err := standard.Do(t.Context(), "get", s.request); !effect.HasCode(err, effect.StoreFailed) || len(s.asked) != 1 {
		t.Errorf("%d attempts, %v", len(s.asked), err)
	}
}

func TestACallerThatGivesUpIsHeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{failures: 1e6, err: errAway}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(400*time.Millisecond, cancel)
		err := standard.Do(ctx, "get", s.request)
		if !effect.HasCode(err, effect.Canceled) || time.Since(s.begin) != 400*time.Millisecond {
			t.Errorf("got %v after %v", err, time.Since(s.begin))
		}
		n := len(s.asked)
		if err := standard.Do(ctx, "get", s.request); !effect.HasCode(err, effect.Canceled) || len(s.asked) != n {
			t.Errorf("a call that is over already: %v, %d attempts", err, len(s.asked)-n)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		// The request's own error tells of the deadline; its code is the caller's.
		err := standard.Do(ctx, "get", func() error { <-ctx.Done(); return ctx.Err() })
		if !effect.HasCode(err, effect.Deadline) {
			t.Errorf("got %v", err)
		}
	})
}

func TestWhatBecameOfACommit(t *testing.T) {
	for _, c := range []struct {
		version, current string
		recorded, landed bool
	}{
		{"v2", "v2", true, true},
		{"v2", "v3", true, true}, // another was built on it
		{"v2", "w2", false, false},
		{"", "", false, true}, // the bank is gone
		{"", "w2", true, false},
	} {
		if got, err := standard.Landed(time.Now(), c.version, c.current, func() (bool, error) { return c.recorded, nil }); got != c.landed || err != nil {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
	if _, err := standard.Landed(time.Now(), "v2", "v3", func() (bool, error) { return false, errAway }); !errors.Is(err, errAway) {
		t.Errorf("got %v", err)
	}
}

// TestWhatIsForgottenIsNotDenied asks after longer than a version is remembered:
// a conflict would have the caller do once more what may have taken place.
func TestWhatIsForgottenIsNotDenied(t *testing.T) {
	for _, recorded := range []bool{false, true} {
		landed, err := standard.Landed(time.Now().Add(-standard.Remembered()-time.Second), "v2", "v3", func() (bool, error) { return recorded, nil })
		if landed != recorded || effect.HasCode(err, effect.StoreFailed) == recorded {
			t.Errorf("recorded %v: %v, %v", recorded, landed, err)
		}
	}
}
