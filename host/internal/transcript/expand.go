package transcript

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/leanmem/leanmem/testdata/dialogues"
)

// expand makes the request that is sent: defaults filled in, "@…" replaced by
// turns of a dialogue and "$…" by part of an earlier result.
func (c *call) expand(results map[string]any) ([]byte, error) {
	request := map[string]any{}
	maps.Copy(request, c.defaults)
	maps.Copy(request, c.request)
	v, err := expandValue(request, results)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

func expandValue(v any, results map[string]any) (any, error) {
	var err error
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			if out[k], err = expandValue(x, results); err != nil {
				return nil, err
			}
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			if out[i], err = expandValue(x, results); err != nil {
				return nil, err
			}
		}
		return out, nil
	case string:
		switch {
		case strings.HasPrefix(v, "@"):
			return excerpt(v[1:])
		case strings.HasPrefix(v, "$"):
			return pick(v[1:], results)
		}
	}
	return v, nil
}

// pick follows "verb.key.0.key" into the latest result of a verb.
func pick(path string, results map[string]any) (any, error) {
	var at any = results
	for p := range strings.SplitSeq(path, ".") {
		ok := false
		switch x := at.(type) {
		case map[string]any:
			at, ok = x[p]
		case []any:
			i, err := strconv.Atoi(p)
			if ok = err == nil && i >= 0 && i < len(x); ok {
				at = x[i]
			}
		}
		if !ok {
			return nil, fmt.Errorf("there is no %q in the results so far", path)
		}
	}
	return at, nil
}

// excerpt gives the sessions that "NAME", "NAME#SESSION" or "NAME/FIRST..LAST"
// names: whole sessions are closed, a run of turns leaves its sessions open.
func excerpt(what string) ([]any, error) {
	name, session, _ := strings.Cut(what, "#")
	name, run, cut := strings.Cut(name, "/")
	first, last, ranged := strings.Cut(run, "..")
	if !ranged {
		last = first
	}
	raw, err := dialogues.Files.ReadFile(name + ".jsonl")
	if err != nil {
		return nil, err
	}
	var out []any
	within := false
	for line := range strings.Lines(string(raw)) {
		var turn map[string]any
		if err := decode([]byte(line), &turn); err != nil {
			return nil, err
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
		return nil, fmt.Errorf("%q names no turn", what)
	}
	return out, nil
}
