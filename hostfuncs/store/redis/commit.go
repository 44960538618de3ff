package redis

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// In every script KEYS are version, values, keys and landed versions of one bank. Redis runs
// a script alone, so each sees and leaves a whole state; the version is written
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

// A landed version has the time of the server until which it is remembered, in
// milliseconds.
// ARGV: expected, version, for how many milliseconds to remember it, number of
// deleted keys, these, keys and values in turn.
var commitScript = redis.NewScript(`
local current = redis.call('GET', KEYS[1]) or ''
if current ~= ARGV[1] then
	local was = redis.call('ZSCORE', KEYS[4], ARGV[2])
	return {0, current, was and 1 or 0}
end
if ARGV[2] == '' then
	redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
	return {1, '', 0}
end
redis.call('SET', KEYS[1], ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', string.format('%.0f', now))
redis.call('ZADD', KEYS[4], string.format('%.0f', now + ARGV[3]), ARGV[2])
local n = 4 + tonumber(ARGV[4])
for i = 5, n do
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
// unknown; the script is sent again, and if the new version is then among those
// that landed the first took place.
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
	args := []any{expected, version, s.patience().Remembered().Milliseconds(), 0}
	gone := 0
	for _, w := range writes {
		if w.Delete {
			args = append(args, w.Key)
			gone++
		}
	}
	args[3] = gone
	for _, w := range writes {
		if !w.Delete {
			args = append(args, w.Key, nonNil(w.Value))
		}
	}
	err = s.resend(ctx, "commit", func(first time.Time) error {
		reply, err := commitScript.Run(ctx, s.client, s.keys(bank), args...).Slice()
		if err != nil {
			return err
		}
		current = reply[1].(string)
		if ok = reply[0].(int64) == 1; ok || first.IsZero() {
			return nil
		}
		ok, err = s.patience().Landed(first, version, current, func() (bool, error) { return reply[2].(int64) == 1, nil })
		if ok {
			current = version
		}
		return err
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
	renamed, err := s.rename(ctx, from, to)
	if err != nil {
		return err
	}
	switch renamed {
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

// rename gives 1, 0 where there is no such bank, or -1 where there is one of the
// other name. One that is gone when the script is sent again has been renamed.
func (s *Store) rename(ctx context.Context, from, to string) (renamed int64, err error) {
	err = s.resend(ctx, "rename bank", func(first time.Time) error {
		reply, err := renameScript.Run(ctx, s.client, append(s.keys(from), s.keys(to)...)).Slice()
		if err != nil {
			return err
		}
		if renamed = reply[0].(int64); renamed == 0 && !first.IsZero() {
			renamed, err = s.client.Exists(ctx, s.keys(to)[0]).Result()
		}
		return err
	})
	return renamed, err
}

func (s *Store) run(ctx context.Context, doing string, script *redis.Script, keys []string, args ...any) (reply []any, err error) {
	err = s.retry(ctx, doing, func() error {
		reply, err = script.Run(ctx, s.client, keys, args...).Slice()
		return err
	})
	return reply, err
}
