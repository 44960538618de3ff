package core

import (
	"context"
	"encoding/json"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
)

// Engine performs verbs. It holds the snapshot cache of one instance and is,
// like an instance, used by one goroutine at a time; several flows may
// interleave in it.
type Engine struct {
	strategies []Strategy
	cache      *bank.Cache
}

// NewEngine makes an engine. The first strategy is the default. cacheBytes
// caps the snapshots it keeps; 0: the default of the bank's cache.
func NewEngine(cacheBytes int, strategies ...Strategy) *Engine {
	return &Engine{strategies: strategies, cache: bank.NewCache(cacheBytes)}
}

// Call performs one verb: a request as JSON in, a result as JSON out. Every
// error is an *effect.Error.
func (e *Engine) Call(ctx context.Context, port effect.Port, verb string, request []byte) (json.RawMessage, error) {
	return nil, effect.Errorf(effect.UnknownVerb, "call %q: not a verb of this engine", verb)
}
