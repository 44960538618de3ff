package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/store/internal/patience"
)

// retry performs a request until it has an answer: a server that restarts or
// fails over is waited for.
func (s *Store) retry(ctx context.Context, doing string, request func() error) error {
	return s.resend(ctx, doing, func(time.Time) error { return request() })
}

// resend does so for a request that must know when it was sent first; it is zero
// the first time. The library's own retries are off, since they would hide that.
func (s *Store) resend(ctx context.Context, doing string, request func(first time.Time) error) error {
	var sent patience.Sent
	return s.patience().Do(ctx, doing, func() error { return request(sent.Again()) })
}

func (s *Store) patience() patience.Patience {
	return patience.Patience{Limit: s.opts.Patience, Passing: passing, Coded: storeError}
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
