package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// In every script KEYS are version, values, keys and recent versions of one bank. Redis runs a
// script alone, so each sees and leaves a whole state; the version is written
// first, because a server that is out of memory refuses a script's first write.

var getScript = redis.NewScript(`
local version = redis.call('GET', KEYS[1])
if not version then return {''} end
local out, size = {version}, 0
for i = 2, #ARGV do
	local v = redis.call('HGET', KEYS[2], ARGV[i])
	if v then size = size + #v end
	if size > tonumber(ARGV[1]) then return {version, 0, 0} end
	out[i] = v
end
return out`)

var scanScript = redis.NewScript(`
local version = redis.call('GET', KEYS[1])
if not version then return {'', 0} end
local limit, bytes = tonumber(ARGV[3]), tonumber(ARGV[4])
local names = redis.call('ZRANGEBYLEX', KEYS[3], ARGV[1], ARGV[2], 'LIMIT', 0, limit + 1)
local out, size = {version, 0}, 0
for i, name in ipairs(names) do
	if i > limit or size >= bytes then
		out[2] = 1
		break
	end
	local v = redis.call('HGET', KEYS[2], name)
	out[#out + 1] = name
	out[#out + 1] = v
	size = size + #name + #v
end
return out`)

// ARGV: expected, version, number of deleted keys, these, keys and values in
// turn.
var commitScript = redis.NewScript(`
local current = redis.call('GET', KEYS[1]) or ''
if current ~= ARGV[1] then
	local was = redis.call('LPOS', KEYS[4], ARGV[2])
	return {0, current, was and 1 or 0}
end
if ARGV[2] == '' then
	redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
	return {1, '', 0}
end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('LPUSH', KEYS[4], ARGV[2])
redis.call('LTRIM', KEYS[4], 0, 15)
local n = 3 + tonumber(ARGV[3])
for i = 4, n do
	redis.call('HDEL', KEYS[2], ARGV[i])
	redis.call('ZREM', KEYS[3], ARGV[i])
end
for i = n + 1, #ARGV, 2 do
	redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
	redis.call('ZADD', KEYS[3], 0, ARGV[i])
end
return {1, ARGV[2], 0}`)

// KEYS: those of one bank, those of the other.
var renameScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return {0} end
if redis.call('EXISTS', KEYS[5]) == 1 then return {-1} end
for i = 1, 4 do
	if redis.call('EXISTS', KEYS[i]) == 1 then redis.call('RENAME', KEYS[i], KEYS[i + 4]) end
end
return {1}`)

// Commit implements hostfuncs.Store. When a connection is lost the outcome is
// unknown; the script is sent again, and if the new version is then among the
// bank's last sixteen the first took place.
//
// A name enters the index before its bank is made and leaves it after the bank
// is gone. One that left while another writer made the bank again is put back.
func (s *Store) Commit(ctx context.Context, bank, expected, version string, writes []effect.Write) (bool, string, error) {
	if err := hostfuncs.CheckCommit(bank, expected, version, writes); err != nil {
		return false, "", err
	}
	if expected == "" && version != "" {
		if err := s.enter(ctx, bank); err != nil {
			return false, "", err
		}
	}
	ok, current, err := s.commit(ctx, bank, expected, version, writes)
	switch {
	case err != nil || !ok:
	case version == "":
		err = s.leave(ctx, bank)
	case expected == "":
		err = s.enter(ctx, bank)
	}
	return ok && err == nil, current, err
}

func (s *Store) commit(ctx context.Context, bank, expected, version string, writes []effect.Write) (ok bool, current string, err error) {
	args := []any{expected, version, 0}
	gone := 0
	for _, w := range writes {
		if w.Delete {
			args = append(args, w.Key)
			gone++
		}
	}
	args[2] = gone
	for _, w := range writes {
		if !w.Delete {
			args = append(args, w.Key, nonNil(w.Value))
		}
	}
	tried := false
	err = s.retry(ctx, "commit", func() error {
		again := tried
		tried = true
		reply, err := commitScript.Run(ctx, s.client, s.keys(bank), args...).Slice()
		if err != nil {
			return err
		}
		current = reply[1].(string)
		ok = reply[0].(int64) == 1
		if again && !ok && (reply[2].(int64) == 1 || version == "" && current == "") {
			ok, current = true, version
		}
		return nil
	})
	return ok, current, err
}

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func (s *Store) enter(ctx context.Context, bank string) error {
	return s.retry(ctx, "commit", func() error {
		return s.client.ZAdd(ctx, s.index(), redis.Z{Member: bank}).Err()
	})
}

func (s *Store) leave(ctx context.Context, bank string) error {
	err := s.retry(ctx, "commit", func() error { return s.client.ZRem(ctx, s.index(), bank).Err() })
	if err != nil {
		return err
	}
	there, err := s.present(ctx, []string{bank})
	if err == nil && there[0] {
		err = s.enter(ctx, bank)
	}
	return err
}

// DropBank implements hostfuncs.Store.
func (s *Store) DropBank(ctx context.Context, bank string) error {
	if err := hostfuncs.CheckBank(bank); err != nil {
		return err
	}
	for {
		_, version, err := s.Get(ctx, bank, nil)
		if err != nil {
			return err
		}
		if version == "" {
			return s.leave(ctx, bank)
		}
		ok, _, err := s.Commit(ctx, bank, version, "", nil)
		if err != nil || ok {
			return err
		}
	}
}

// RenameBank implements hostfuncs.Store, except in a cluster, where two names
// live on two nodes and nothing changes both at once.
func (s *Store) RenameBank(ctx context.Context, from, to string) error {
	if err := hostfuncs.CheckRename(from, to); err != nil {
		return err
	}
	if s.opts.Cluster {
		return effect.Errorf(effect.Unavailable, "rename bank %q: a cluster cannot do that at once; export it and import it under the other name", from)
	}
	if err := s.enter(ctx, to); err != nil {
		return err
	}
	reply, err := s.run(ctx, "rename bank", renameScript, append(s.keys(from), s.keys(to)...))
	if err != nil {
		return err
	}
	switch reply[0].(int64) {
	case -1:
		return effect.Errorf(effect.BankExists, "rename bank %q to %q: there is one of that name", from, to)
	case 0:
		if err := s.leave(ctx, to); err != nil {
			return err
		}
		return effect.Errorf(effect.BankNotFound, "rename bank %q: there is none", from)
	}
	return s.leave(ctx, from)
}

func (s *Store) run(ctx context.Context, doing string, script *redis.Script, keys []string, args ...any) (reply []any, err error) {
	err = s.retry(ctx, doing, func() error {
		reply, err = script.Run(ctx, s.client, keys, args...).Slice()
		return err
	})
	return reply, err
}

// retry performs a request until it has an answer: a server that restarts or
// fails over is waited for. The library's own retries are off, since they would
// hide from Commit that it was sent twice.
func (s *Store) retry(ctx context.Context, doing string, request func() error) error {
	if err := hostfuncs.ContextError(ctx, doing); err != nil {
		return err
	}
	begin := time.Now()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := request()
		if err == nil {
			return nil
		}
		if e := hostfuncs.ContextError(ctx, doing); e != nil {
			return e
		}
		if !passing(err) || time.Since(begin)+wait > s.opts.Patience {
			return storeError(doing, err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return hostfuncs.ContextError(ctx, doing)
		}
	}
}

// passing reports whether an error may be gone when the request is sent again.
func passing(err error) bool {
	if errors.Is(err, redis.ErrClosed) {
		return false
	}
	if e := (redis.Error)(nil); !errors.As(err, &e) {
		return true // no answer at all
	}
	for _, s := range []string{"LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS", "BUSY", "UNBLOCKED", "max number of clients"} {
		if strings.Contains(err.Error(), s) {
			return true
		}
	}
	return false
}

// storeError gives an error its code. A server's own words name commands and
// states, never values.
func storeError(doing string, err error) error {
	if e := (*effect.Error)(nil); errors.As(err, &e) {
		return err
	}
	switch {
	case errors.Is(err, redis.ErrClosed):
		return effect.Errorf(effect.StoreFailed, "%s: the store is closed", doing)
	case strings.Contains(err.Error(), "OOM"), strings.Contains(err.Error(), "MISCONF"):
		return effect.Errorf(effect.StoreFull, "%s: Redis says: %v", doing, err)
	case passing(err):
		return effect.Retryf(effect.StoreFailed, "%s: %v", doing, err)
	}
	return effect.Errorf(effect.StoreFailed, "%s: Redis says: %v", doing, err)
}

func (o Options) client() redis.UniversalClient {
	u := &redis.UniversalOptions{
		Addrs: o.Addrs, Username: o.Username, Password: o.Password, DB: o.DB, MasterName: o.MasterName,
		PoolSize: o.PoolSize, DialTimeout: o.DialTimeout, MaxRetries: -1, IsClusterMode: o.Cluster,
		ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second, ContextTimeoutEnabled: true,
		DisableIdentity: true, DialerRetries: 1,
	}
	if o.TLS {
		u.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return redis.NewUniversalClient(u)
}
