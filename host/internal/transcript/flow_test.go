package transcript

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
)

const sample = `# a comment
@ {"bank": "b"}
% store_get error {"code":"store_failed","message":"no","retryable":true}
> stats {"n": 1}
? store_get bank=b key
= error {"code":"store_failed","message":"no","retryable":true}
! {"code":"store_failed","message":"no","retryable":true}

>> stats {"n": "@friends/s01:3"}
? store_get bank=b key
= version=- -
< 7:2bfd14f4

# nothing comes after this
`

// fake asks for a key and gives a number, or the store's error.
type fake struct {
	key, result string
	known       bool
}

func (f fake) Call(_ testing.TB, _ string, request []byte, do Perform) (json.RawMessage, error, bool) {
	var r struct{ Bank string }
	if err := json.Unmarshal(request, &r); err != nil {
		return nil, err, f.known
	}
	if f.key == "" {
		return json.RawMessage(f.result), nil, f.known
	}
	reply := do(effect.Request{Op: effect.OpGet, Bank: r.Bank, Keys: [][]byte{[]byte(f.key)}})
	if reply.Err != nil {
		return nil, reply.Err, f.known
	}
	return json.RawMessage(f.result), nil, f.known
}

func (fake) Close(testing.TB) {}

func open(d Driver) Engine { return func(testing.TB) Driver { return d } }

// noting keeps what a test would fail with.
type noting struct {
	testing.TB
	said []string
}

func (n *noting) Errorf(format string, args ...any) {
	n.said = append(n.said, fmt.Sprintf(format, args...))
}

func sampleFlow(t *testing.T) *Flow {
	t.Helper()
	f, err := read(sample)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestADifferenceIsTold(t *testing.T) {
	faithful := fake{"key", `{"n":1}`, true}
	for what, c := range map[string]struct {
		driver Driver
		says   string
	}{
		"none":             {faithful, ""},
		"another effect":   {fake{"kex", `{"n":1}`, true}, "call 1, stats, line 1"},
		"another result":   {fake{"key", `{"n":2}`, true}, "call 2, stats, line 3"},
		"a missing export": {fake{"key", `{"n":1}`, false}, "call 1, stats, line 1"},
	} {
		if d := sampleFlow(t).Difference(t, open(c.driver)); !strings.HasPrefix(d, c.says) || c.says == "" && d != "" {
			t.Errorf("%s: %q, want %q", what, d, c.says)
		}
	}
}

func TestWhatAnInstanceRemembersMayNotShow(t *testing.T) {
	for warm, says := range map[Driver]string{
		fake{"key", `{"n":2}`, true}: "warm: call 2, stats",
		fake{"kex", `{"n":1}`, true}: "", // it may load something else
	} {
		opened := 0
		d := sampleFlow(t).Difference(t, func(testing.TB) Driver {
			if opened++; opened <= 2 { // cold, one for each call
				return fake{"key", `{"n":1}`, true}
			}
			return warm
		})
		if !strings.HasPrefix(d, says) || says == "" && d != "" {
			t.Errorf("%q, want %q", d, says)
		}
	}
}

func TestAScriptIsFollowedToItsEnd(t *testing.T) {
	n := &noting{TB: t}
	sampleFlow(t).Difference(n, open(fake{"", `{"n":1}`, true}))
	if len(n.said) == 0 || !strings.Contains(n.said[0], "store_get was not used") {
		t.Errorf("said %q", n.said)
	}
}

func TestRewritingWhatDoesNotDifferChangesNothing(t *testing.T) {
	f := sampleFlow(t)
	f.path = filepath.Join(t.TempDir(), "sample.txt")
	f.Rewrite(t, open(fake{"key", `{"n":1}`, true}))
	if b, err := os.ReadFile(f.path); err != nil || string(b) != sample {
		t.Errorf("%v\n%s", err, b)
	}
}

func TestATranscriptThatMakesNoSenseIsRefused(t *testing.T) {
	for text, says := range map[string]string{
		"< {}":                            "without a call",
		"| text":                          "without a script line",
		"hello":                           "begins with 'h'",
		"% answer speed=3\n> stats":       "unknown setting",
		"> stats {\"bank\":":              "unexpected EOF",
		"# fine\n% store_get error {oops": "line 2",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
	for _, what := range []string{"@nobody", "@friends#never", "$stats.entries.0", "$stats.list.7"} {
		_, err := (&call{request: map[string]any{"x": what}}).expand(map[string]any{"stats": map[string]any{"list": []any{}}})
		if err == nil {
			t.Errorf("%q is expanded", what)
		}
	}
}

func TestEveryTranscriptIsRead(t *testing.T) {
	for _, f := range All(t) {
		if len(f.calls) == 0 || f.Name == "" {
			t.Errorf("%q has %d calls", f.Name, len(f.calls))
		}
	}
}
