// Package redis keeps banks in Redis or Valkey, on one server, behind Sentinel
// or in a cluster. A commit is one script over four keys of a bank: its version,
// a hash of its values, a sorted set of its keys, since a hash has no ordered
// scan, and the versions of its last minutes.
//
// How much a failure loses is the server's to say: nothing with appendfsync
// always, up to a second of acknowledged commits with everysec, everything since
// the last snapshot without a log. A failover to a replica may lose what it had
// not received. Warnings tells what Open noticed of that.
package redis

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// Options of Open. Zero values are the defaults named beside them.
type Options struct {
	// Addrs are one server, several of a cluster, or, with MasterName, the
	// sentinels.
	Addrs              []string
	Username, Password string
	DB                 int
	MasterName         string
	Cluster            bool
	TLS                bool
	// Prefix begins every key, so that several services share a server. It may
	// hold letters, digits and ":._-". "leanmem".
	Prefix      string
	PoolSize    int           // 8
	DialTimeout time.Duration // 5 seconds
	Patience    time.Duration // for a server that restarts or fails over: 10 seconds
}

// Store is a hostfuncs.Store in Redis.
type Store struct {
	client   redis.UniversalClient
	opts     Options
	warnings []string
}

var (
	_ hostfuncs.Store     = (*Store)(nil)
	_ hostfuncs.Compacter = (*Store)(nil)
)

// silent drops what the library would print to standard error of its own
// accord: its errors are returned.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

var quiet = sync.OnceFunc(func() { redis.SetLogger(silent{}) })

// Open connects and refuses a server that would evict keys on its own.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Prefix == "" {
		o.Prefix = "leanmem"
	}
	if strings.Trim(strings.ToLower(o.Prefix), "abcdefghijklmnopqrstuvwxyz0123456789:._-") != "" {
		return nil, effect.Errorf(effect.InvalidArgument, "open Redis store: the prefix may hold letters, digits and \":._-\"")
	}
	if len(o.Addrs) == 0 {
		return nil, effect.Errorf(effect.InvalidArgument, "open Redis store: no address")
	}
	if o.PoolSize <= 0 {
		o.PoolSize = 8
	}
	if o.DialTimeout <= 0 {
		o.DialTimeout = 5 * time.Second
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	quiet()
	s := &Store{client: o.client(), opts: o}
	if err := s.inspect(ctx); err != nil {
		s.client.Close()
		return nil, err
	}
	return s, nil
}

// Warnings tells which settings of the server may lose acknowledged commits.
func (s *Store) Warnings() []string { return s.warnings }

// inspect reads the settings that matter; a server that hides them is taken as
// it is.
func (s *Store) inspect(ctx context.Context) error {
	if err := s.retry(ctx, "open Redis store", func() error { return s.client.Ping(ctx).Err() }); err != nil {
		return err
	}
	setting := func(name string) string { return s.client.ConfigGet(ctx, name).Val()[name] }
	if policy := setting("maxmemory-policy"); policy != "" && policy != "noeviction" && setting("maxmemory") != "0" {
		return effect.Errorf(effect.StoreFailed, "open Redis store: the server evicts keys when its memory is full (maxmemory-policy %s): memories would vanish; set noeviction", policy)
	}
	switch log, sync := setting("appendonly"), setting("appendfsync"); {
	case log == "no":
		s.warnings = append(s.warnings, "appendonly is no: a failure loses all commits since the last snapshot")
	case log == "yes" && sync != "always":
		s.warnings = append(s.warnings, fmt.Sprintf("appendfsync is %s: a failure may lose the last second of commits, or more", sync))
	}
	return nil
}

// Close implements hostfuncs.Store.
func (s *Store) Close() error {
	if err := s.client.Close(); err != nil && !errors.Is(err, redis.ErrClosed) {
		return storeError("close Redis store", err)
	}
	return nil
}

// keys are the four keys of a bank. The name is encoded: "}" would end the tag
// that keeps them on one node of a cluster.
func (s *Store) keys(bank string) []string {
	tag := s.opts.Prefix + ":{" + hex.EncodeToString([]byte(bank)) + "}:"
	return []string{tag + "version", tag + "values", tag + "keys", tag + "landed"}
}

// index is the sorted set of all bank names. It may name banks that are gone or
// not there yet; a bank that is there is in it (see Commit).
func (s *Store) index() string { return s.opts.Prefix + ":banks" }

// Get implements hostfuncs.Store.
func (s *Store) Get(ctx context.Context, bank string, keys [][]byte) ([][]byte, string, error) {
	if err := hostfuncs.CheckGet(bank, keys); err != nil {
		return nil, "", err
	}
	args := make([]any, 0, len(keys)+1)
	args = append(args, hostfuncs.MaxReply)
	for _, k := range keys {
		args = append(args, k)
	}
	reply, err := s.run(ctx, "get", getScript, s.keys(bank), args...)
	if err != nil {
		return nil, "", err
	}
	values := make([][]byte, len(keys))
	version, rest := reply[0].(string), reply[1:]
	if len(rest) != len(keys) && version != "" {
		return nil, "", effect.Errorf(effect.TooLarge, "get %d keys: more than %d bytes at once", len(keys), hostfuncs.MaxReply)
	}
	for i, v := range rest {
		if text, ok := v.(string); ok {
			values[i] = []byte(text)
		}
	}
	return values, version, nil
}

// Scan implements hostfuncs.Store.
func (s *Store) Scan(ctx context.Context, bank string, prefix, after []byte, limit int) (p hostfuncs.Page, err error) {
	limit, err = hostfuncs.CheckScan(bank, prefix, after, limit)
	if err != nil {
		return p, err
	}
	from, to := "-", "+"
	if len(prefix) > 0 {
		from = "[" + string(prefix)
		if end := beyond(prefix); end != nil {
			to = "(" + string(end)
		}
	}
	if len(after) > 0 && string(after) >= string(prefix) {
		from = "(" + string(after)
	}
	reply, err := s.run(ctx, "scan", scanScript, s.keys(bank), from, to, limit, hostfuncs.PageBytes)
	if err != nil {
		return p, err
	}
	p.Version, p.More = reply[0].(string), reply[1].(int64) == 1
	for i := 2; i+1 < len(reply); i += 2 {
		key, value := reply[i].(string), reply[i+1].(string)
		p.Entries = append(p.Entries, effect.Entry{Key: []byte(key), Value: []byte(value)})
	}
	return p, nil
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

// Banks implements hostfuncs.Store.
func (s *Store) Banks(ctx context.Context, after string, limit int) (names []string, more bool, err error) {
	limit, err = hostfuncs.CheckBanks(after, limit)
	if err != nil {
		return nil, false, err
	}
	for {
		page, err := s.indexPage(ctx, after)
		if err != nil {
			return nil, false, err
		}
		there, err := s.present(ctx, page)
		if err != nil {
			return nil, false, err
		}
		for i, name := range page {
			if !there[i] {
				continue
			}
			if len(names) == limit {
				return names, true, nil
			}
			names = append(names, name)
		}
		if len(page) < hostfuncs.MaxPage {
			return names, false, nil
		}
		after = page[len(page)-1]
	}
}

func (s *Store) indexPage(ctx context.Context, after string) (page []string, err error) {
	from := "-"
	if after != "" {
		from = "(" + after
	}
	err = s.retry(ctx, "list banks", func() error {
		page, err = s.client.ZRangeByLex(ctx, s.index(), &redis.ZRangeBy{Min: from, Max: "+", Count: hostfuncs.MaxPage}).Result()
		return err
	})
	return page, err
}

// present tells which banks of a page are there.
func (s *Store) present(ctx context.Context, page []string) ([]bool, error) {
	there := make([]bool, len(page))
	err := s.retry(ctx, "list banks", func() error {
		found := make([]*redis.IntCmd, len(page))
		_, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i, name := range page {
				found[i] = p.Exists(ctx, s.keys(name)[0])
			}
			return nil
		})
		for i, c := range found {
			there[i] = c.Val() == 1
		}
		return err
	})
	return there, err
}

// Compact implements hostfuncs.Compacter: it has each server rewrite its log,
// which otherwise keeps deleted values until it grows, and waits for it.
// Snapshots and replicas keep what their settings say.
func (s *Store) Compact(ctx context.Context) error {
	if c, ok := s.client.(*redis.ClusterClient); ok {
		return c.ForEachMaster(ctx, func(ctx context.Context, c *redis.Client) error { return rewriteLog(ctx, c) })
	}
	return rewriteLog(ctx, s.client)
}

func rewriteLog(ctx context.Context, c redis.Cmdable) error {
	if err := c.BgRewriteAOF(ctx).Err(); err != nil && !strings.Contains(err.Error(), "in progress") {
		return storeError("compact Redis store", err)
	}
	for {
		info, err := c.Info(ctx, "persistence").Result()
		if err != nil {
			return storeError("compact Redis store", err)
		}
		if strings.Contains(info, "aof_rewrite_in_progress:0") && strings.Contains(info, "aof_rewrite_scheduled:0") {
			if strings.Contains(info, "aof_last_bgrewrite_status:err") {
				return effect.Errorf(effect.StoreFailed, "compact Redis store: the server could not rewrite its log")
			}
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return hostfuncs.ContextError(ctx, "compact Redis store")
		}
	}
}
