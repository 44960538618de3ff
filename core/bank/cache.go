package bank

import (
	"context"
	"maps"
	"slices"

	"github.com/leanmem/leanmem/core/effect"
)

const defaultCache = 64 << 20

// Cache holds the newest snapshot that an instance has seen of each bank, under
// a cap on bytes. Snapshots that a flow has pinned stay valid when they leave
// it. It is not safe for concurrent use: an instance serves one call at a time.
// Nothing of it is held across an effect, so flows may interleave.
type Cache struct {
	max     int
	total   int
	clock   uint64 // counts uses
	held    map[string]*cached
	builtin Embedder
	embed   func(text string) ([]int8, bool)
	table   wordTable
}

type cached struct {
	snap  *Snapshot
	bytes int
	used  uint64
}

// Option configures a cache.
type Option func(*Cache)

// WithEmbedder gives the built-in embedder. Banks of that embedder get their
// vectors from it, unless a change brings its own; f reports false for a text
// that it does not cover.
func WithEmbedder(e Embedder, f func(text string) ([]int8, bool)) Option {
	return func(c *Cache) { c.builtin, c.embed = e, f }
}

// WithWords gives the table of word vectors, of at most 64 dimensions, of whose
// vectors blocks keep the signs. f reports false for a word that it lacks.
func WithWords(name string, f func(word string) ([]int8, bool)) Option {
	return func(c *Cache) { c.table = wordTable{name, f} }
}

// NewCache makes a cache that keeps about maxBytes of snapshots, but always the
// one used last; 0 means 64 MiB.
func NewCache(maxBytes int, options ...Option) *Cache {
	if maxBytes <= 0 {
		maxBytes = defaultCache
	}
	c := &Cache{max: maxBytes, held: map[string]*cached{}}
	for _, o := range options {
		o(c)
	}
	return c
}

// Holds lists the banks in the cache by name, for hosts that route by it.
func (c *Cache) Holds() []string { return slices.Sorted(maps.Keys(c.held)) }

func (c *Cache) get(bank string) *Snapshot {
	e := c.held[bank]
	if e == nil {
		return nil
	}
	c.clock++
	e.used = c.clock
	return e.snap
}

func (c *Cache) put(s *Snapshot) {
	c.forget(s.bank)
	c.clock++
	e := &cached{snap: s, bytes: s.bytes(), used: c.clock}
	c.held[s.bank] = e
	c.total += e.bytes
	for c.total > c.max && len(c.held) > 1 {
		oldest := ""
		for name, e := range c.held { // the least used is one: order does not matter
			if oldest == "" || e.used < c.held[oldest].used {
				oldest = name
			}
		}
		c.forget(oldest)
	}
}

func (c *Cache) forget(bank string) {
	if e := c.held[bank]; e != nil {
		c.total -= e.bytes
		delete(c.held, bank)
	}
}

// Open pins the current snapshot of a bank. A bank that does not exist opens
// with an empty snapshot of version "".
func (c *Cache) Open(ctx context.Context, client effect.Client) (*Handle, error) {
	h := &Handle{cache: c, client: client}
	if err := h.Refresh(ctx); err != nil {
		return nil, err
	}
	return h, nil
}
