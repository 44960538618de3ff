package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/host/internal/plugintest"
)

func TestThePluginIsFoundByItsName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.wasm")
	t.Setenv("LEANMEM_WASM", path)
	if got, err := FindPlugin(); got != path || err != nil {
		t.Errorf("found %q, %v", got, err)
	}
	_, err := Open(t.Context(), Config{Engine: Wasm})
	wantCode(t, err, effect.InvalidArgument)

	if err := os.WriteFile(path, plugintest.Build(t, "step"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := Open(t.Context(), Config{Engine: Wasm})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	v, err := h.Version(t.Context())
	if err != nil || v.ABI == "" {
		t.Errorf("version: %+v, %v", v, err)
	}

	t.Setenv("LEANMEM_WASM", "")
	_, err = FindPlugin()
	wantCode(t, err, effect.InvalidArgument)
}

func TestAPluginThatIsNoneIsRefused(t *testing.T) {
	for what, c := range map[string]struct {
		config Config
		says   string
	}{
		"not wasm":              {Config{Engine: Wasm, Plugin: []byte("hello")}, "compile"},
		"the blocking artefact": {Config{Engine: Wasm, Plugin: plugintest.Build(t)}, "begin"},
		"no such engine":        {Config{Engine: "steam"}, "steam"},
		"a negative limit":      {Config{Flows: -1}, "limit"},
		"no room to start":      {Config{Engine: Wasm, Plugin: plugintest.Build(t, "step"), MaxInstanceBytes: 1 << 20}, ""},
		"an unusable cache":     {Config{Engine: Wasm, Plugin: []byte("x"), CompileCache: "/dev/null/x"}, "cache"},
	} {
		_, err := Open(t.Context(), c.config)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want an error about %q", what, err, c.says)
		}
		if e := effect.AsError(err); err != nil && (e.Code == "" || len(e.Message) > 400) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestTheKernelKeepsToItsBounds(t *testing.T) {
	k := &kernel{}
	k.begin([]byte("input"))
	a, b := k.alloc(5), k.alloc(3)
	if a == 0 || b%8 != 0 || b < a+5 {
		t.Fatalf("blocks at %d and %d", a, b)
	}
	copy(k.arena[a:], "hello")
	if got := string(k.block(a, 5)); got != "hello" {
		t.Errorf("block holds %q", got)
	}
	k.free(b)
	k.free(b) // twice is harmless
	if c := k.alloc(100); c > b {
		t.Errorf("the freed end is not used again: %d after %d", c, b)
	}
	for what, misuse := range map[string]func(){
		"a block outside":  func() { k.block(1<<40, 1) },
		"a length outside": func() { k.block(a, 1<<63) },
		"too much":         func() { k.alloc(maxArena) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is let pass", what)
				}
			}()
			misuse()
		}()
	}
	k.begin(nil)
	if len(k.blocks) != 0 || len(k.arena) != 8 {
		t.Errorf("the next call starts with %d blocks and %d bytes", len(k.blocks), len(k.arena))
	}
}
