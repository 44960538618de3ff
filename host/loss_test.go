package host

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
)

func TestEveryWayToLoseAnInstanceGivesACode(t *testing.T) {
	h := openProbe(t, Wasm, newWorld(), Config{Instances: 1, MaxInstanceBytes: 32 << 20})
	for _, c := range []struct{ verb, request string }{
		{"probe_exit", `{"bank":"a"}`},
		{"probe_lock", `{"bank":"a"}`},
		{"probe_overflow", `{"bank":"a","count":100000000}`},
		{"probe_alloc", `{"bank":"a","count":100}`},
	} {
		_, err := h.Call(t.Context(), c.verb, []byte(c.request))
		wantCode(t, err, effect.Internal)
		if e := effect.AsError(err); !e.Retryable {
			t.Errorf("%s: %v is not retryable", c.verb, err)
		}
		t.Log(err)
		wantAlive(t, h)
	}
}

func TestACallWhoseInstanceStopsIsRunAgainFromItsLog(t *testing.T) {
	w := newWorld()
	h := openProbe(t, Wasm, w, Config{Instances: 1})
	wantAlive(t, h) // the instance is not fresh any more
	out, err := h.Call(t.Context(), "probe_exit_used", []byte(`{"bank":"a","text":"once"}`))
	if err != nil {
		t.Fatal(err)
	}
	if n := w.store.commits.Load(); n != 1 {
		t.Errorf("%d commits, want 1", n)
	}
	if n := w.model.calls.Load(); n != 2 {
		t.Errorf("%d prompts, want 2", n)
	}
	fresh := openProbe(t, Native, newWorld(), Config{Instances: 1})
	want, err := fresh.Call(t.Context(), "probe_effects", []byte(`{"bank":"a","text":"once"}`))
	if err != nil || string(out) != string(want) {
		t.Errorf("the second run gives %s, an undisturbed one %s, %v", out, want, err)
	}
}

func TestCallsThatLoseTheirInstanceToAnotherGoOn(t *testing.T) {
	w := newWorld()
	const calls = 8
	waiting := make(chan struct{}, calls)
	release := make(chan struct{})
	w.model.wait = func(context.Context) error { waiting <- struct{}{}; <-release; return nil }
	h := openProbe(t, Wasm, w, Config{Instances: 1})
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			out, err := h.Call(t.Context(), "probe_models", fmt.Appendf(nil, `{"bank":"b","text":"t%d.","count":3}`, i))
			if want := fmt.Sprintf(`["re: t%d.0","re: t%d.1","re: t%d.2"]`, i, i, i); err != nil || string(out) != want {
				t.Errorf("got %s, %v, want %s", out, err, want)
			}
		})
	}
	for range calls {
		<-waiting
	}
	_, err := h.Call(t.Context(), "probe_exit", []byte(`{"bank":"b"}`))
	wantCode(t, err, effect.Internal)
	close(release)
	go func() {
		for range waiting {
		}
	}()
	wg.Wait()
	close(waiting)
	if n := w.model.calls.Load(); n != calls*3 {
		t.Errorf("%d prompts, want %d: none is paid twice", n, calls*3)
	}
}

func TestAnInstanceThatGrewIsReplacedWhenItsCallsAreDone(t *testing.T) {
	w := newWorld()
	var held atomic.Bool
	asked, release := make(chan struct{}), make(chan struct{})
	w.model.wait = func(context.Context) error {
		if held.CompareAndSwap(false, true) {
			close(asked)
			<-release
		}
		return nil
	}
	h := openProbe(t, Wasm, w, Config{Instances: 1, RecycleBytes: 64 << 20})
	slot := func() *worker {
		h.pool.mu.Lock()
		defer h.pool.mu.Unlock()
		return h.pool.slots[0]
	}
	first := slot()
	done := make(chan error)
	go func() {
		_, err := h.Call(context.Background(), "probe_models", []byte(`{"bank":"a","count":2}`))
		done <- err
	}()
	<-asked
	if _, err := h.Call(t.Context(), "probe_alloc", []byte(`{"bank":"a","count":100}`)); err != nil {
		t.Fatal(err)
	}
	wantAlive(t, h)
	if slot() == first {
		t.Error("the slot still has the instance that grew")
	}
	if first.dead {
		t.Error("the old instance was closed under a call")
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if !first.dead {
		t.Error("the old instance was not closed after its last call")
	}
}

func TestManyBanksAtOnce(t *testing.T) {
	bothEngines(t, func(t *testing.T, engine string) {
		w := newWorld()
		h := openProbe(t, engine, w, Config{Instances: 3, Flows: 8})
		var wg sync.WaitGroup
		for i := range 60 {
			wg.Go(func() {
				bank := fmt.Sprintf("bank%d", i%7)
				for range 4 {
					out, err := h.Call(t.Context(), "probe_models", fmt.Appendf(nil, `{"bank":%q,"text":"t%d.","count":2}`, bank, i))
					if want := fmt.Sprintf(`["re: t%d.0","re: t%d.1"]`, i, i); err != nil || string(out) != want {
						t.Errorf("got %s, %v, want %s", out, err, want)
					}
				}
				if i%10 == 0 && engine == Wasm {
					_, err := h.Call(t.Context(), "probe_exit", fmt.Appendf(nil, `{"bank":%q}`, bank))
					wantCode(t, err, effect.Internal)
				}
			})
		}
		wg.Wait()
		wantAlive(t, h)
		h.pool.mu.Lock()
		defer h.pool.mu.Unlock()
		for _, s := range h.pool.slots {
			if s.flows != 0 || s.pressure != 0 {
				t.Errorf("slot %d is left with %d flows and pressure %d", s.slot, s.flows, s.pressure)
			}
		}
		if h.pool.places.free != 24 {
			t.Errorf("%d of 24 places are free", h.pool.places.free)
		}
	})
}
