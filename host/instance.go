package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/leanmem/leanmem/core/effect"
)

// instance is one engine with its flows, used by one goroutine at a time. An
// error is an *effect.Error, after which the instance goes on, or it says that
// the instance is lost (errLost), with all its flows.
type instance interface {
	Begin(ctx context.Context, e effect.Envelope) (effect.Envelope, error)
	Resume(ctx context.Context, e effect.Envelope) (effect.Envelope, error)
	Cancel(ctx context.Context, e effect.Envelope) (effect.Envelope, error)
	// Size is the memory of the instance in bytes, as far as it is known.
	Size() int64
	Close(ctx context.Context) error
}

// errLost marks the end of an instance: a trap, an exit, a message that makes
// no sense.
var errLost = errors.New("the instance is lost")

func lost(doing string, err error) error {
	return fmt.Errorf("%s: %w: %w", doing, errLost, err)
}
