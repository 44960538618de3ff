package host

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/flow"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/dialogue"
	"github.com/leanmem/leanmem/host/internal/requirement"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
	"github.com/leanmem/leanmem/testdata/dialogues"
)

// clerk calls an engine over a store, a fresh engine each time when restarts is
// set.
type clerk struct {
	t        testing.TB
	store    hostfuncs.Store
	options  mem.Options
	restarts bool
	engine   flow.Call
}

func (c *clerk) call(verb string, request any) json.RawMessage {
	c.t.Helper()
	if c.engine == nil || c.restarts {
		c.engine = nativeCall(0)
	}
	b, err := json.Marshal(request)
	if err != nil {
		c.t.Fatal(err)
	}
	out, err := c.engine(context.Background(), hostfuncs.Port(hostfuncs.Set{Store: c.store}, hostfuncs.Options{}), verb, b)
	if err != nil {
		c.t.Fatalf("%s: %v", verb, err)
	}
	return out
}

func (c *clerk) head() core.Call {
	return core.Call{ABI: core.ABI, Bank: "b", Now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC), Options: c.options}
}

func (c *clerk) add(sessions ...core.InputSession) {
	c.t.Helper()
	c.call("add", core.AddRequest{Call: c.head(), Sessions: sessions})
}

// export is every line of the bank.
func (c *clerk) export() (lines []string) {
	c.t.Helper()
	q := core.ExportRequest{Call: c.head(), Limit: 10000}
	for {
		var page core.ExportResult
		if err := json.Unmarshal(c.call("export", q), &page); err != nil {
			c.t.Fatal(err)
		}
		for _, l := range page.Lines {
			lines = append(lines, marshal(l))
		}
		if page.Next == "" {
			return lines
		}
		q.After = page.Next
	}
}

// ways are the ways in which the same dialogue may arrive.
var ways = []struct {
	name     string
	restarts bool
	add      func(c *clerk, sessions []core.InputSession)
}{
	{"at once", false, func(c *clerk, sessions []core.InputSession) { c.add(sessions...) }},
	{"session by session", false, func(c *clerk, sessions []core.InputSession) {
		for _, s := range sessions {
			c.add(s)
		}
	}},
	{"in twenty calls", false, inTwenty},
	{"in twenty calls with restarts", true, inTwenty},
	{"turn by turn", false, turnByTurn},
	{"turn by turn with restarts", true, turnByTurn},
	{"deferred and flushed", false, func(c *clerk, sessions []core.InputSession) {
		c.call("add", core.AddRequest{Call: c.head(), Sessions: open(sessions), Defer: true})
		c.call("flush", core.FlushRequest{Call: c.head()})
	}},
	{"turn by turn, closed by silence and a flush", false, func(c *clerk, sessions []core.InputSession) {
		turnByTurn(c, open(sessions))
		c.call("flush", core.FlushRequest{Call: c.head()})
	}},
	{"twice, overlapping", false, func(c *clerk, sessions []core.InputSession) {
		c.add(sessions[:len(sessions)*2/3]...)
		c.add(sessions[len(sessions)/3:]...)
	}},
}

// open leaves the sessions open.
func open(sessions []core.InputSession) []core.InputSession {
	out := slices.Clone(sessions)
	for i := range out {
		out[i].Close = false
	}
	return out
}

func turnByTurn(c *clerk, sessions []core.InputSession) { inParts(c, sessions, 1) }

func inTwenty(c *clerk, sessions []core.InputSession) {
	n := 0
	for _, s := range sessions {
		n += len(s.Turns)
	}
	inParts(c, sessions, (n+19)/20)
}

// inParts adds so many turns in each call, whatever sessions they are of.
func inParts(c *clerk, sessions []core.InputSession, size int) {
	var batch []core.InputSession
	n := 0
	for _, s := range sessions {
		for i, t := range s.Turns {
			if len(batch) == 0 || batch[len(batch)-1].ID != s.ID {
				part := s
				part.Turns, part.Close = nil, false
				batch = append(batch, part)
			}
			last := &batch[len(batch)-1]
			last.Turns = append(last.Turns, t)
			last.Close = s.Close && i == len(s.Turns)-1
			if n++; n == size {
				c.add(batch...)
				batch, n = nil, 0
			}
		}
	}
	if len(batch) > 0 {
		c.add(batch...)
	}
}

// sameEveryWay adds a dialogue in each way and compares what the banks hold.
func sameEveryWay(t *testing.T, sessions []core.InputSession, options mem.Options) {
	var want []string
	for _, way := range ways {
		c := &clerk{t: t, store: memory.New(), options: options, restarts: way.restarts}
		way.add(c, sessions)
		got := c.export()
		if want == nil {
			want = got
			continue
		}
		differences(t, way.name, got, want)
	}
}

// differences reports a few lines in which two exports differ.
func differences(t *testing.T, who string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	n := 0
	for _, l := range got {
		if !slices.Contains(want, l) && n < 4 {
			t.Errorf("%s: it has %s", who, l)
			n++
		}
	}
	for _, l := range want {
		if !slices.Contains(got, l) && n < 8 {
			t.Errorf("%s: it lacks %s", who, l)
			n++
		}
	}
	t.Errorf("%s: %d lines, want %d", who, len(got), len(want))
}

// written reads one of the project's own dialogues, every session closed.
func written(t testing.TB, name string) (sessions []core.InputSession) {
	t.Helper()
	raw, err := dialogues.Files.ReadFile(name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for s, err := range dialogue.Sessions(strings.NewReader(string(raw)), dialogue.JSONL, dialogue.Options{}, func(w string) { t.Error(w) }) {
		if err != nil {
			t.Fatal(err)
		}
		s.Close = true
		sessions = append(sessions, s)
	}
	return sessions
}

// evaluation reads the histories of an evaluation file, or skips the test.
func evaluation(t testing.TB, format dialogue.Format, parts ...string) (out []*dialogue.History) {
	t.Helper()
	f, err := os.Open(requirement.Data(t, parts...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for h, err := range dialogue.Histories(f, format, dialogue.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range h.Sessions {
			h.Sessions[i].Close = true
		}
		out = append(out, h)
	}
	return out
}

func TestHowADialogueArrivesDoesNotMatter(t *testing.T) {
	for _, name := range dialogues.Names {
		t.Run(name, func(t *testing.T) { sameEveryWay(t, written(t, name), mem.Options{}) })
	}
	t.Run("without an embedder", func(t *testing.T) { sameEveryWay(t, written(t, "thread"), mem.Options{Embedder: "none"}) })
	t.Run("a session as the unit", func(t *testing.T) {
		sameEveryWay(t, written(t, "friends"), mem.Options{Off: []string{mem.OffSegmentation}})
	})
	t.Run("locomo", func(t *testing.T) {
		sameEveryWay(t, evaluation(t, dialogue.LoCoMo, "locomo", "conv-30.json")[0].Sessions, mem.Options{})
	})
}
