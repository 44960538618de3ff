//go:build unix

package postgres_test

import (
	"testing"

	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/postgres"
	"github.com/leanmem/leanmem/hostfuncs/store/servertest"
	"github.com/leanmem/leanmem/hostfuncs/store/storetest"
)

// TestBehindAPoolerInTransactionMode runs the suite through PgBouncer, where
// each statement may meet another connection.
func TestBehindAPoolerInTransactionMode(t *testing.T) {
	server, _ := servertest.Postgres(t, "fsync=off")
	dsn := servertest.Pooler(t, server)
	for name, o := range map[string]postgres.Options{"exec": {}, "simple protocol": {SimpleProtocol: true}} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, storetest.Maker{
				New:        func(t testing.TB) hostfuncs.Store { return fresh(t, dsn, o) },
				Operations: 300, BigValue: 1 << 20,
			})
		})
	}
}
