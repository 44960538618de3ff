package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/testdata/dialogues"
)

// exchange is one call of a transcript, with what was written above it.
// testdata/flows/README.md describes the form.
type exchange struct {
	head     []string // comment, settings, script and request lines, as they stand
	defaults map[string]any
	script   []scriptLine
	verb     string
	brief    bool // the result is written as its digest
	request  map[string]any
	output   string // the lines that the call makes
}

// scriptLine is what the world answers once instead of its own reply.
type scriptLine struct {
	op    string // an effect, or the stage of a prompt
	text  string // of a completion
	stop  string // its finish reason
	err   *effect.Error
	after int // requests of the effect that come before
}

// readFlow reads a transcript. What stands after the last call is kept as an
// exchange without a verb.
func readFlow(path string) ([]*exchange, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []*exchange
	defaults := map[string]any{}
	x := &exchange{}
	for n, line := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n") {
		if x.verb != "" && !isOutput(line) && line != "" {
			out = append(out, x)
			x = &exchange{}
		}
		if err := x.read(line, &defaults); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", filepath.Base(path), n+1, err)
		}
	}
	return append(out, x), nil
}

// isOutput reports a line that a call makes.
func isOutput(line string) bool {
	return line != "" && strings.ContainsRune("?=<! }", rune(line[0]))
}

func (x *exchange) read(line string, defaults *map[string]any) error {
	rest := ""
	if len(line) > 2 {
		rest = line[2:]
	}
	switch {
	case line == "":
		return nil
	case isOutput(line):
		x.output += line + "\n"
		return nil
	case line[0] == '|': // belongs to the script line above
		if len(x.script) == 0 {
			return fmt.Errorf("text without a script line above it")
		}
		last := &x.script[len(x.script)-1]
		if last.text != "" {
			last.text += "\n"
		}
		last.text += rest
	case line[0] == '#':
	case line[0] == '@':
		*defaults = map[string]any{}
		if err := decode([]byte(rest), defaults); err != nil {
			return err
		}
	case line[0] == '%':
		s, err := readScript(rest)
		if err != nil {
			return err
		}
		x.script = append(x.script, s)
	case line[0] == '>':
		rest, x.brief = strings.CutPrefix(line[1:], ">")
		verb, request, _ := strings.Cut(strings.TrimSpace(rest), " ")
		x.verb, x.defaults = verb, *defaults
		if request == "" {
			request = "{}"
		}
		if err := decode([]byte(request), &x.request); err != nil {
			return err
		}
	default:
		return fmt.Errorf("a line begins with %q", line[0])
	}
	x.head = append(x.head, line)
	return nil
}

// readScript reads "OP [after=N] [finish=WORD] [error JSON]".
func readScript(s string) (scriptLine, error) {
	var out scriptLine
	fields, failure, failed := strings.Cut(s, " error ")
	if failed {
		out.err = &effect.Error{}
		if err := json.Unmarshal([]byte(failure), out.err); err != nil {
			return out, err
		}
	}
	for i, f := range strings.Fields(fields) {
		key, value, _ := strings.Cut(f, "=")
		var err error
		switch {
		case i == 0:
			out.op = f
		case key == "after":
			out.after, err = strconv.Atoi(value)
		case key == "finish":
			out.stop = value
		default:
			err = fmt.Errorf("script: unknown setting %q", f)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

func decode(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(into)
}

// expand makes the request that is sent: defaults filled in, "@…" replaced by
// turns of a dialogue and "$…" by part of an earlier result.
func (x *exchange) expand(t testing.TB, results map[string]any) []byte {
	t.Helper()
	request := map[string]any{}
	for k, v := range x.defaults {
		request[k] = v
	}
	for k, v := range x.request {
		request[k] = v
	}
	b, err := json.Marshal(expandValue(t, request, results))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func expandValue(t testing.TB, v any, results map[string]any) any {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[k] = expandValue(t, x, results)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = expandValue(t, x, results)
		}
		return out
	case string:
		switch {
		case strings.HasPrefix(v, "@"):
			return excerpt(t, v[1:])
		case strings.HasPrefix(v, "$"):
			return pick(t, v[1:], results)
		}
	}
	return v
}

// pick follows "verb.key.0.key" into the latest result of a verb.
func pick(t testing.TB, path string, results map[string]any) any {
	t.Helper()
	parts := strings.Split(path, ".")
	at, ok := results[parts[0]], true
	for _, p := range parts[1:] {
		switch x := at.(type) {
		case map[string]any:
			at, ok = x[p]
		case []any:
			i, err := strconv.Atoi(p)
			if ok = err == nil && i < len(x); ok {
				at = x[i]
			}
		default:
			ok = false
		}
		if !ok {
			t.Fatalf("there is no %q in the results so far", path)
		}
	}
	return at
}

// excerpt gives the sessions that "NAME", "NAME#SESSION" or "NAME/FIRST..LAST"
// names: whole sessions are closed, a run of turns leaves its sessions open.
func excerpt(t testing.TB, what string) []any {
	t.Helper()
	name, session, _ := strings.Cut(what, "#")
	name, run, cut := strings.Cut(name, "/")
	first, last, ranged := strings.Cut(run, "..")
	if !ranged {
		last = first
	}
	raw, err := dialogues.Files.ReadFile(name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []any
	within := false
	for line := range strings.Lines(string(raw)) {
		var turn map[string]any
		if err := decode([]byte(line), &turn); err != nil {
			t.Fatal(err)
		}
		id := turn["session"]
		delete(turn, "session")
		within = within || turn["id"] == first
		if cut && !within || session != "" && id != session {
			continue
		}
		if len(out) == 0 || out[len(out)-1].(map[string]any)["id"] != id {
			s := map[string]any{"id": id, "turns": []any{}}
			if !cut {
				s["close"] = true
			}
			out = append(out, s)
		}
		s := out[len(out)-1].(map[string]any)
		s["turns"] = append(s["turns"].([]any), turn)
		within = within && turn["id"] != last
	}
	if len(out) == 0 {
		t.Fatalf("%q names no turn", what)
	}
	return out
}
