package host

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/flow"
	"github.com/leanmem/leanmem/host/internal/plugintest"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
	"github.com/leanmem/leanmem/testdata/probe"
)

// bothEngines runs a test natively and on the plugin, each with the probe
// verbs.
func bothEngines(t *testing.T, test func(t *testing.T, engine string)) {
	for _, engine := range []string{Native, Wasm} {
		t.Run(engine, func(t *testing.T) { test(t, engine) })
	}
}

// world is what the tests' hosts supply.
type world struct {
	model *echoModel
	store *countingStore
}

func newWorld() *world {
	return &world{&echoModel{}, &countingStore{Store: memory.New()}}
}

func (w *world) set() hostfuncs.Set {
	return hostfuncs.Set{LLM: w.model, Embedder: flatEmbedder{}, Store: w.store}
}

// openProbe opens a host whose engine has the probe verbs.
func openProbe(t testing.TB, engine string, w *world, c Config) *Host {
	t.Helper()
	c.Engine, c.Set = engine, w.set()
	if engine == Wasm {
		c.Plugin = plugintest.Build(t, "step", "probe")
	}
	h, err := openWith(t.Context(), c, func() flow.Call { return probe.Wrap(nativeCall(0)) })
	if err != nil {
		t.Fatalf("open %s: %v", engine, err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("close %s: %v", engine, err)
		}
	})
	return h
}

// echoModel answers with the prompt, and counts.
type echoModel struct {
	calls atomic.Int64
	wait  func(ctx context.Context) error
}

func (m *echoModel) Complete(ctx context.Context, p effect.Prompt) (effect.Completion, error) {
	m.calls.Add(1)
	if m.wait != nil {
		if err := m.wait(ctx); err != nil {
			return effect.Completion{}, err
		}
	}
	return effect.Completion{Text: "re: " + p.User, Finish: "stop", PromptTokens: len(p.User)}, nil
}

// flatEmbedder gives every text the same direction.
type flatEmbedder struct{}

func (flatEmbedder) Embed(_ context.Context, texts []string, _ string) (effect.Vectors, error) {
	v := effect.Vectors{Model: "flat", Dims: 2}
	for range texts {
		v.Data = append(v.Data, 0.6, 0.8)
	}
	return v, nil
}

// countingStore counts commits and can refuse them.
type countingStore struct {
	hostfuncs.Store
	commits atomic.Int64
	fail    error
}

func (s *countingStore) Commit(ctx context.Context, bank, expected, version string, writes []effect.Write) (bool, string, error) {
	s.commits.Add(1)
	if s.fail != nil {
		return false, "", s.fail
	}
	return s.Store.Commit(ctx, bank, expected, version, writes)
}

// marshal writes a value as JSON.
func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// wantCode fails unless err has the code.
func wantCode(t testing.TB, err error, code effect.Code) {
	t.Helper()
	if !effect.HasCode(err, code) {
		t.Errorf("got error %v, want the code %s", err, code)
	}
}

// wantAlive fails unless the host still serves calls.
func wantAlive(t testing.TB, h *Host) {
	t.Helper()
	out, err := h.Call(t.Context(), "probe_echo", []byte(`{"bank":"alive","text":"x"}`))
	if err != nil || string(out) != `{"bank":"alive","text":"x"}` {
		t.Errorf("after that, echo gives %s, %v", out, err)
	}
}
