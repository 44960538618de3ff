// Package transcript replays the transcripts of testdata/flows in an engine, for
// the tests of this room. It may decide nothing: what a host asks and the core
// answers stands in the files, whose README.md describes their form, and an
// engine either makes the same lines or differs.
package transcript

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/host/internal/requirement"
)

// Perform answers one wanted effect.
type Perform func(effect.Request) effect.Reply

// Driver is one way to run the core: what a host does, without a pool.
type Driver interface {
	// Call performs a verb. known is false where the engine cannot be asked for
	// it at all: the blocking artefact has no export of that name.
	Call(t testing.TB, verb string, request []byte, do Perform) (out json.RawMessage, err error, known bool)
	Close(t testing.TB)
}

// Engine makes drivers that remember nothing.
type Engine func(t testing.TB) Driver

// Flow is one transcript.
type Flow struct {
	Name  string
	path  string
	calls []*call
	tail  []string // what stands after the last call
}

// All reads the transcripts of testdata/flows.
func All(t testing.TB) []*Flow {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(requirement.ModuleRoot(), "testdata", "flows", "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	var out []*Flow
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := read(string(raw))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		f.Name, f.path = strings.TrimSuffix(filepath.Base(path), ".txt"), path
		out = append(out, f)
	}
	return out
}

// Difference replays the transcript and tells where an engine differs from it
// first, or nothing. Cold, with a driver for each call, every byte is compared;
// warm, with one driver for two rounds, what calls come to.
func (f *Flow) Difference(t testing.TB, open Engine) string {
	t.Helper()
	var want []string
	for _, c := range f.calls {
		want = append(want, c.output)
	}
	if d := f.differ(f.replay(t, cold(open)), want); d != "" {
		return d
	}
	d := open(t)
	defer d.Close(t)
	for range 2 {
		if d := f.differ(outcomes(f.replay(t, warm(d))), outcomes(want)); d != "" {
			return "warm: " + d
		}
	}
	return ""
}

// Rewrite writes the file anew from what an engine makes.
func (f *Flow) Rewrite(t testing.TB, open Engine) {
	t.Helper()
	var b strings.Builder
	for i, made := range f.replay(t, cold(open)) {
		c := f.calls[i]
		c.output = made
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.Join(c.head, "\n") + "\n" + made)
	}
	if len(f.tail) > 0 {
		b.WriteString("\n" + strings.Join(f.tail, "\n") + "\n")
	}
	if err := os.WriteFile(f.path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// cold runs every call on a driver of its own.
func cold(open Engine) func(testing.TB) (Driver, func()) {
	return func(t testing.TB) (Driver, func()) {
		d := open(t)
		return d, func() { d.Close(t) }
	}
}

// warm runs all calls on one driver.
func warm(d Driver) func(testing.TB) (Driver, func()) {
	return func(testing.TB) (Driver, func()) { return d, func() {} }
}

// replay performs the calls and gives what each makes; "" for one that the
// engine has no export for.
func (f *Flow) replay(t testing.TB, next func(testing.TB) (Driver, func())) []string {
	t.Helper()
	w := newWorld()
	results := map[string]any{}
	var out []string
	for _, c := range f.calls {
		request, err := c.expand(results)
		if err != nil {
			t.Fatalf("%s: %v", c.verb, err)
		}
		w.begin(c.script)
		d, done := next(t)
		result, err, known := d.Call(t, c.verb, request, w.do)
		done()
		if !known {
			out = append(out, "")
			continue
		}
		for _, l := range w.script {
			t.Errorf("%s: the script line for %s was not used", c.verb, l.op)
		}
		writeResult(w.out, result, err, c.brief)
		out = append(out, w.out.String())
		if err == nil {
			var v any
			if err := decode(result, &v); err != nil {
				t.Fatalf("%s: its result is no JSON: %v", c.verb, err)
			}
			results[c.verb] = v
		}
	}
	return out
}

// outcomes keeps of what calls make their results: how much of a bank is loaded
// depends on what an instance remembers.
func outcomes(made []string) []string {
	out := make([]string, len(made))
	for i, s := range made {
		for _, mark := range []string{"\n< ", "\n! "} {
			if at := strings.LastIndex("\n"+s, mark); at >= 0 {
				out[i] = s[at:]
				break
			}
		}
	}
	return out
}

// differ tells of the first call that made something else than is wanted. What
// an engine cannot be asked for must be an unknown verb elsewhere, too.
func (f *Flow) differ(got, want []string) string {
	for n, c := range f.calls {
		if got[n] == want[n] || got[n] == "" && strings.Contains(want[n], `"code":"`+string(effect.UnknownVerb)+`"`) {
			continue
		}
		g, w := strings.Split(got[n], "\n"), strings.Split(want[n], "\n")
		at := 0
		for at < len(g) && at < len(w) && g[at] == w[at] {
			at++
		}
		return fmt.Sprintf("call %d, %s, line %d of its output:\n%s\nwant:\n%s", n+1, c.verb, at+1,
			strings.Join(g[at:min(at+5, len(g))], "\n"), strings.Join(w[at:min(at+5, len(w))], "\n"))
	}
	return ""
}
