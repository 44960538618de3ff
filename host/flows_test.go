package host

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cold runs every call of a transcript on an instance of its own.
func cold(t testing.TB, open func(testing.TB) driver) func() (driver, func()) {
	return func() (driver, func()) {
		d := open(t)
		return d, func() { d.close(t) }
	}
}

// warm runs all calls on one instance.
func warm(d driver) func() (driver, func()) {
	return func() (driver, func()) { return d, func() {} }
}

// replay performs the calls of a transcript and gives what each makes; "" for
// one that the engine has no export for.
func replay(t testing.TB, flow []*exchange, next func() (driver, func())) []string {
	t.Helper()
	w := newFlowWorld()
	results := map[string]any{}
	var out []string
	for _, x := range flow {
		if x.verb == "" {
			continue
		}
		w.begin(x.script)
		d, done := next()
		result, err, known := d.call(t, x.verb, x.expand(t, results), w.do)
		done()
		if !known {
			out = append(out, "")
			continue
		}
		w.unused(t, x.verb)
		writeResult(w.out, result, err, x.brief)
		out = append(out, w.out.String())
		if err == nil {
			var v any
			if err := decode(result, &v); err != nil {
				t.Fatal(err)
			}
			results[x.verb] = v
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

// differ reports the first call whose outcome is not the wanted one.
func differ(t *testing.T, who string, flow []*exchange, got, want []string) {
	t.Helper()
	n := -1
	for _, x := range flow {
		if x.verb == "" {
			continue
		}
		if n++; got[n] == want[n] || got[n] == "" {
			continue
		}
		g, w := strings.Split(got[n], "\n"), strings.Split(want[n], "\n")
		at := 0
		for at < len(g) && at < len(w) && g[at] == w[at] {
			at++
		}
		t.Errorf("%s: call %d, %s, line %d of its output:\n%s\nwant:\n%s", who, n+1, x.verb, at+1,
			strings.Join(g[at:min(at+5, len(g))], "\n"), strings.Join(w[at:min(at+5, len(w))], "\n"))
		return
	}
}

// TestFlows replays the transcripts of testdata/flows in every engine: cold they
// make the same bytes, warm the same results.
func TestFlows(t *testing.T) {
	files, err := filepath.Glob("../testdata/flows/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	all := allDrivers(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			flow, err := readFlow(file)
			if err != nil {
				t.Fatal(err)
			}
			if *rewrite {
				rewriteFlow(t, file, flow, replay(t, flow, cold(t, all["native"])))
			}
			var want []string
			for _, x := range flow {
				if x.verb != "" {
					want = append(want, x.output)
				}
			}
			for _, name := range []string{"native", "step", "blocking"} {
				differ(t, name, flow, replay(t, flow, cold(t, all[name])), want)
				if t.Failed() { // one difference says enough
					t.Fatal("if the change is meant, -rewrite writes the transcripts anew; look at what it changes")
				}
				d := all[name](t)
				for range 2 {
					differ(t, "warm "+name, flow, outcomes(replay(t, flow, warm(d))), outcomes(want))
				}
				d.close(t)
			}
		})
	}
}

func rewriteFlow(t *testing.T, file string, flow []*exchange, made []string) {
	var b strings.Builder
	n := 0
	for i, x := range flow {
		if i > 0 && len(x.head) > 0 {
			b.WriteByte('\n')
		}
		for _, line := range x.head {
			b.WriteString(line + "\n")
		}
		if x.verb != "" {
			x.output = made[n]
			b.WriteString(made[n])
			n++
		}
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestAFlowThatChangedIsNoticed keeps the comparison honest.
func TestAFlowThatChangedIsNoticed(t *testing.T) {
	flow := []*exchange{{verb: "version", request: map[string]any{}}}
	d := stepping{newNative(nativeCall(0))}
	made := replay(t, flow, warm(d))
	if len(made) != 1 || !strings.HasPrefix(made[0], "< {") || outcomes(made)[0] != made[0] {
		t.Fatalf("made %q", made)
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(made[0][2:]), &v); err != nil || v["abi"] == "" {
		t.Errorf("a result is not JSON: %v", err)
	}
}
