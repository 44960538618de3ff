package host

import (
	"runtime"
	"testing"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

// Goroutines that are locked to their threads, as in a cgo callback, share the
// native engine with others.
func TestCallsFromLockedThreads(t *testing.T) {
	h, err := Open(t.Context(), Config{Engine: Native, Instances: 1, Set: hostfuncs.Set{Store: memory.New()}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for i := range 4 {
		done := make(chan error)
		go func() {
			if i%2 == 0 {
				runtime.LockOSThread()
			}
			_, err := h.Stats(t.Context(), core.Call{Bank: "b"})
			done <- err
		}()
		wantCode(t, <-done, effect.BankNotFound)
	}
}
