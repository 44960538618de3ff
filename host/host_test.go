package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
)

func TestBothEnginesGiveTheSameBytes(t *testing.T) {
	requests := []struct{ verb, request string }{
		{"version", `{}`},
		{"probe_echo", `{"bank":"a","text":"größe <b> & 東京 \u2028"}`},
		{"probe_effects", `{"bank":"a","text":"one"}`},
		{"probe_effects", `{"bank":"a","text":"two <&>"}`},
		{"probe_models", `{"bank":"b","text":"m","count":5}`},
		{"probe_effects", `{"bank":"c","text":""}`},
		{"probe_panic", `{"bank":"a"}`},
		{"probe_nothing", `{"bank":"a"}`},
		{"add", `{"bank":7}`},
		{"add", `{"bank":"a","now":"yesterday"}`},
		{"search", `[1,2]`},
		{"search", `{"bank":"a","abi":"9.0"}`},
		{"search", `{"bank":"a","options":{"strategy":"none such"}}`},
	}
	answers := map[string][]string{}
	for _, engine := range []string{Native, Wasm} {
		h := openProbe(t, engine, newWorld(), Config{Instances: 1, Now: func() time.Time { return time.Unix(1.7e9, 0).UTC() }})
		for _, r := range requests {
			out, err := h.Call(t.Context(), r.verb, []byte(r.request))
			answers[engine] = append(answers[engine], fmt.Sprintf("%s %s: %s, %v", r.verb, r.request, out, err))
		}
	}
	for i, native := range answers[Native] {
		if wasm := answers[Wasm][i]; wasm != native {
			t.Errorf("native: %s\nwasm:   %s", native, wasm)
		}
	}
}

func TestBadInputGivesACodeAndHarmsNothing(t *testing.T) {
	bothEngines(t, func(t *testing.T, engine string) {
		h := openProbe(t, engine, newWorld(), Config{Instances: 1})
		for _, c := range []struct {
			verb, request string
			code          effect.Code
		}{
			{"search", ``, effect.InvalidJSON},
			{"search", `{`, effect.InvalidJSON},
			{"search", "\x00\xff", effect.InvalidArgument},
			{"search", `{"bank":"a"} x`, effect.InvalidJSON},
			{"search", `null`, effect.InvalidArgument},
			{"search", `"a"`, effect.InvalidArgument},
			{"search", `{"bank":["a"]}`, effect.InvalidArgument},
			{"search", "{\"bank\":\"a\xff\"}", effect.InvalidArgument},
			{"search", `{"bank":""}`, effect.InvalidArgument},
			{"search", `{"bank":"a","abi":"2.0"}`, effect.UnsupportedABI},
			{"no_such_verb", `{}`, effect.UnknownVerb},
			{"", `{}`, effect.InvalidArgument},
			{strings.Repeat("v", 1e5), `{}`, effect.UnknownVerb},
			{"search", strings.Repeat("[", 9000) + strings.Repeat("]", 9000), effect.InvalidArgument},
			{"probe_panic", `{"bank":"a","text":"of a memory"}`, effect.Internal},
		} {
			_, err := h.Call(t.Context(), c.verb, []byte(c.request))
			if !effect.HasCode(err, c.code) {
				t.Errorf("%.20s %.40q: got %v, want %s", c.verb, c.request, err, c.code)
			}
			if err != nil && (strings.Contains(err.Error(), "of a memory") || len(err.Error()) > 400) {
				t.Errorf("%.20s %.40q: the error tells too much: %.600v", c.verb, c.request, err)
			}
			wantAlive(t, h)
		}
	})
}

func TestTenMegabytesPass(t *testing.T) {
	bothEngines(t, func(t *testing.T, engine string) {
		h := openProbe(t, engine, newWorld(), Config{Instances: 1})
		big := `{"bank":"a","text":"` + strings.Repeat("long ", 2<<20) + `"}`
		out, err := h.Call(t.Context(), "probe_echo", []byte(big))
		if err != nil || len(out) != len(big) {
			t.Errorf("echo of %d bytes gives %d bytes, %v", len(big), len(out), err)
		}
		_, err = h.Call(t.Context(), "probe_echo", append([]byte(big), make([]byte, maxRequest)...))
		wantCode(t, err, effect.TooLarge)
		wantAlive(t, h)
	})
}

func TestOneBankIsOutOfReachOfAnothersCall(t *testing.T) {
	w := newWorld()
	h := openProbe(t, Native, w, Config{})
	c := h.newCall("search", "mine", nil)
	for _, bank := range []string{"mine", "yours"} {
		replies, err := c.port.Do(t.Context(), []effect.Request{{Op: effect.OpGet, Bank: bank}})
		if err != nil {
			t.Fatal(err)
		}
		if got := replies[0].Err != nil && replies[0].Err.Code == effect.Forbidden; got != (bank == "yours") {
			t.Errorf("reading %s from a call on mine: %v", bank, replies[0].Err)
		}
	}
}

func TestCancelEndsACallThatWaitsForAModel(t *testing.T) {
	bothEngines(t, func(t *testing.T, engine string) {
		w := newWorld()
		h := openProbe(t, engine, w, Config{Instances: 1})
		asked := make(chan struct{}, 1)
		w.model.wait = func(ctx context.Context) error {
			asked <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		}
		for _, verb := range []string{"probe_models", "probe_deaf"} {
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-asked; cancel() }()
			_, err := h.Call(ctx, verb, []byte(`{"bank":"a","count":3}`))
			wantCode(t, err, effect.Canceled)
			wantAlive(t, h)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := h.Call(ctx, "probe_models", []byte(`{"bank":"a","count":3}`))
		wantCode(t, err, effect.Deadline)
		_, err = h.Call(ctx, "probe_echo", []byte(`{}`))
		wantCode(t, err, effect.Deadline)
		waitUntil(t, "the cancelled flows are gone", func() bool {
			h.pool.mu.Lock()
			defer h.pool.mu.Unlock()
			return h.pool.slots[0].flows == 0
		})
	})
}

func TestAFailingStoreAndASlowModelGiveTheirCodes(t *testing.T) {
	bothEngines(t, func(t *testing.T, engine string) {
		w := newWorld()
		w.store.fail = errors.New("disk on fire")
		h := openProbe(t, engine, w, Config{Instances: 1})
		_, err := h.Call(t.Context(), "probe_effects", []byte(`{"bank":"a","text":"x"}`))
		wantCode(t, err, effect.StoreFailed)
		wantAlive(t, h)

		w.model.wait = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		h.config.Set.PromptTimeout = 20 * time.Millisecond
		_, err = h.Call(t.Context(), "probe_models", []byte(`{"bank":"a","count":1}`))
		wantCode(t, err, effect.ModelTimeout)
		wantAlive(t, h)
	})
}

func TestAnInstanceIsFreeWhileAModelIsAsked(t *testing.T) {
	bothEngines(t, func(t *testing.T, engine string) {
		w := newWorld()
		const calls = 20
		var all sync.WaitGroup
		all.Add(calls)
		// No model answers before every call has asked one.
		w.model.wait = func(context.Context) error { all.Done(); all.Wait(); return nil }
		h := openProbe(t, engine, w, Config{Instances: 1})
		var wg sync.WaitGroup
		for i := range calls {
			wg.Go(func() {
				out, err := h.Call(t.Context(), "probe_models", fmt.Appendf(nil, `{"bank":"b%d","text":"t%d.","count":1}`, i%3, i))
				if want := fmt.Sprintf(`["re: t%d.0"]`, i); err != nil || string(out) != want {
					t.Errorf("got %s, %v, want %s", out, err, want)
				}
			})
		}
		wg.Wait()
	})
}

func TestBusyRatherThanAQueueWithoutEnd(t *testing.T) {
	w := newWorld()
	release := make(chan struct{})
	w.model.wait = func(context.Context) error { <-release; return nil }
	h := openProbe(t, Native, w, Config{Instances: 1, Flows: 2, Calls: 6, BankCalls: 4})
	var wg sync.WaitGroup
	start := func(bank string) {
		wg.Go(func() {
			_, err := h.Call(t.Context(), "probe_models", []byte(`{"bank":"`+bank+`","count":1}`))
			if err != nil {
				t.Errorf("an admitted call failed: %v", err)
			}
		})
	}
	for range 4 {
		start("a")
	}
	underWay := func(n int) func() bool {
		return func() bool { h.mu.Lock(); defer h.mu.Unlock(); return h.calls == n }
	}
	waitUntil(t, "4 calls are under way", underWay(4))
	_, err := h.Call(t.Context(), "probe_echo", []byte(`{"bank":"a"}`))
	wantCode(t, err, effect.Busy)
	start("b")
	start("c")
	waitUntil(t, "6 calls are under way", underWay(6))
	_, err = h.Call(t.Context(), "probe_echo", []byte(`{"bank":"d"}`))
	wantCode(t, err, effect.Busy)
	close(release)
	wg.Wait()
	wantAlive(t, h)
}

func TestShutdownWaitsAndThenCancels(t *testing.T) {
	w := newWorld()
	asked := make(chan struct{})
	w.model.wait = func(ctx context.Context) error { close(asked); <-ctx.Done(); return ctx.Err() }
	h := openProbe(t, Native, w, Config{})
	done := make(chan error)
	go func() {
		_, err := h.Call(context.Background(), "probe_models", []byte(`{"bank":"a","count":1}`))
		done <- err
	}()
	<-asked
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	go h.Shutdown(ctx)
	wantCode(t, <-done, effect.Canceled)
	_, err := h.Call(t.Context(), "probe_echo", []byte(`{}`))
	wantCode(t, err, effect.Unavailable)
}

func waitUntil(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}
