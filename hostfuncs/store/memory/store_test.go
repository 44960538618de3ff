package memory_test

import (
	"testing"

	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
	"github.com/leanmem/leanmem/hostfuncs/store/storetest"
)

func open(t testing.TB) hostfuncs.Store {
	s := memory.New()
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStore(t *testing.T) {
	storetest.Run(t, storetest.Maker{New: open, Operations: 100_000})
}

func BenchmarkStore(b *testing.B) { storetest.Bench(b, open) }
