package core_test

// Cases of what stays stored, what goes, and who else is writing.

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/llm/scripted"
)

func TestCaseSameAddTwiceInParallel(t *testing.T) {
	sessions := []core.InputSession{
		said("s1", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon last week.", "Ben: I love jazz."),
		said("s2", "2026-02-02T10:00:00Z", "Ana: I adopted a dog yesterday, he is called Rex."),
	}
	once := newWorld(t)
	once.add("b", sessions...)
	for range 20 {
		w := newWorld(t)
		request, err := json.Marshal(core.AddRequest{Call: w.head("b"), Sessions: sessions})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if _, err := newEngine().Call(context.Background(), w.port(), "add", request); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got, want := w.export("b"), once.export("b"); got != want {
			t.Fatalf("twice at once gives\n%s\nonce gives\n%s", got, want)
		}
	}
}

func TestCaseAddDuringEvolution(t *testing.T) {
	w := newWorld(t)
	other := newWorld(t)
	other.set = w.set
	added := false
	w.set.LLM = scripted.New(
		scripted.Rule{Stage: "evolve", Answer: func(effect.Prompt) string {
			if !added {
				added = true
				other.add("b", said("s3", "2026-03-02T10:00:00Z", "Ana: I bought a red bicycle in Porto."))
			}
			return `{"updates":[{"seg":1,"y":"revise","target":1}]}`
		}},
		scripted.Rule{Reply: `{"segments":[]}`})
	w.options.LLM = true
	w.add("b",
		said("s1", "2026-01-02T10:00:00Z", "Ana: I painted the Oslo flat green."),
		said("s2", "2026-02-02T10:00:00Z", "Ana: I painted the Oslo flat blue and sold the sofa of the flat."))
	r := call[core.EvolveResult](w, "evolve", core.EvolveRequest{Call: w.head("b")})
	if !added {
		t.Fatalf("the model was not asked:\n%s", brief(w.list("b", "")))
	}
	if r.Relations["revise"] != 1 {
		t.Errorf("relations %v: the evolution was lost", r.Relations)
	}
	events := w.list("b", "", mem.KindEvent)
	only(t, events, "red bicycle")
	if blue := only(t, events, "Oslo flat blue"); blue.Event.Relation != mem.Revises {
		t.Errorf("the evolution is not stored: %+v", blue.Event)
	}
}

// flat gives every text the same direction in some dimensions.
type flat int

func (d flat) Embed(_ context.Context, texts []string, _ string) (effect.Vectors, error) {
	v := effect.Vectors{Model: "flat", Dims: int(d), Data: make([]float32, len(texts)*int(d))}
	for i := range texts {
		v.Data[i*int(d)+len(texts[i])%int(d)] = 1
	}
	return v, nil
}

func TestCaseChangedEmbedder(t *testing.T) {
	w := newWorld(t)
	w.options.Embedder = "host"
	w.set.Embedder = flat(8)
	w.add("b", said("s1", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon last week."))
	w.set.Embedder = flat(16)
	add := core.AddRequest{Call: w.head("b"), Sessions: []core.InputSession{said("s2", "2026-01-03T10:00:00Z", "Ana: The kitchen is bright.")}}
	for verb, request := range map[string]any{
		"add":    add,
		"search": core.SearchRequest{Call: w.head("b"), Query: mem.Query{Text: "Where does Ana live?"}},
	} {
		_, err := try[core.Outcome](w, verb, request)
		wantCode(t, err, effect.EmbedderMismatch)
		mentions(t, err.Error(), "8", "16", "reindex")
	}
	r := call[core.ReindexResult](w, "reindex", core.ReindexRequest{Call: w.head("b")})
	if r.Stopped != nil || r.Done != r.Total || r.Done == 0 {
		t.Fatalf("reindex: %+v", r)
	}
	call[core.AddResult](w, "add", add)
	mentions(t, w.search("b", "Where does Ana live?").Text, "Lisbon")
	if s := call[core.StatsResult](w, "stats", w.head("b")); s.Dims != 16 {
		t.Errorf("the bank has %d dimensions", s.Dims)
	}
}

func TestCaseDelete(t *testing.T) {
	w := newWorld(t)
	w.add("b",
		said("s1", "2026-01-02T10:00:00Z", "Ana: I work at Zorblat as a nurse.", "Ana: I moved to Quuxville last week."),
		said("s2", "2026-02-02T10:00:00Z", "Ana: I work at Acme now.", "Ben: I love jazz."))
	if n := len(find(w.list("b", ""), "Zorblat")); n < 2 {
		t.Fatalf("%d entries before", n)
	}
	id := find(w.list("b", "", mem.KindProfile), "Acme")[0].ID
	r := w.remove("b", false, mem.Filter{Sessions: []string{"s1"}})
	if r.Turns != 2 || r.Memories == 0 {
		t.Errorf("deleted %d turns, %d memories", r.Turns, r.Memories)
	}
	silentOn(t, w.search("b", "Where does Ana work? Zorblat? Quuxville?").Text, "Zorblat", "Quuxville")
	silentOn(t, brief(w.list("b", "")), "Zorblat", "Quuxville")
	silentOn(t, brief(w.history("b", core.HistoryRequest{ID: id})), "Zorblat")
	silentOn(t, w.export("b"), "Zorblat", "Quuxville", "s1")
	mentions(t, w.export("b"), "Acme", "jazz")
	w.storeIsSilentOn("b", "Zorblat", "zorblat", "Quuxville", "quuxville")

	// A single turn takes what was derived from it along.
	if r := w.remove("b", false, mem.Filter{IDs: []string{"s2:2"}}); r.Turns != 1 || r.Memories == 0 {
		t.Errorf("with one turn went %d turns, %d memories", r.Turns, r.Memories)
	}
	silentOn(t, w.export("b"), "jazz")
	w.storeIsSilentOn("b", "jazz")
}

// storeIsSilentOn reads every value of a bank as bytes.
func (w *world) storeIsSilentOn(bank string, words ...string) {
	w.t.Helper()
	var after []byte
	for {
		page, err := w.set.Store.Scan(context.Background(), bank, nil, after, 0)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range page.Entries {
			for _, word := range words {
				if strings.Contains(string(e.Key), word) || strings.Contains(string(e.Value), word) {
					w.t.Errorf("%q is still in the store under %q", word, e.Key)
				}
			}
			after = e.Key
		}
		if !page.More {
			return
		}
	}
}

func TestCaseScopedDelete(t *testing.T) {
	w := newWorld(t)
	s := said("s1", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon last week.", "Ben: I love jazz.")
	w.add("A", s)
	w.add("B", s)
	before, evidence := w.export("B"), w.search("B", "Where does Ana live?").Text
	w.remove("A", false, mem.Filter{Sessions: []string{"s1"}})
	call[core.Outcome](w, "drop", w.head("A"))
	if w.export("B") != before || w.search("B", "Where does Ana live?").Text != evidence {
		t.Errorf("B has changed:\n%s", w.export("B"))
	}
	_, err := try[core.StatsResult](w, "stats", w.head("A"))
	wantCode(t, err, effect.BankNotFound)
}

// refusing is a store that rejects some commits.
type refusing struct {
	hostfuncs.Store
	left *int // commits until one is rejected
}

func (s refusing) Commit(ctx context.Context, bank, expected, version string, writes []effect.Write) (bool, string, error) {
	if *s.left--; *s.left == 0 {
		return false, "", effect.Errorf(effect.StoreFailed, "commit: the disk is on fire")
	}
	return s.Store.Commit(ctx, bank, expected, version, writes)
}

func TestCaseFailedWrite(t *testing.T) {
	sessions := []core.InputSession{
		said("s1", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon last week.", "Ben: I love jazz."),
		said("s2", "2026-02-02T10:00:00Z", "Ana: I adopted a dog yesterday."),
	}
	whole := newWorld(t)
	whole.add("b", sessions...)
	failed := 0
	for n := 1; n < 20; n++ {
		w := newWorld(t)
		left := n
		w.set.Store = refusing{w.set.Store, &left}
		request := core.AddRequest{Call: w.head("b"), Sessions: sessions}
		if _, err := try[core.AddResult](w, "add", request); err == nil {
			break
		} else {
			wantCode(t, err, effect.StoreFailed)
			mentions(t, err.Error(), "the disk is on fire")
		}
		failed++
		// Either nothing is stored or a state that is whole: every turn of a
		// commit, memories with all their sources.
		if _, err := try[core.StatsResult](w, "stats", w.head("b")); err == nil {
			w.wholeState("b", 3)
		} else {
			wantCode(t, err, effect.BankNotFound)
		}
		call[core.AddResult](w, "add", request)
		if got, want := w.export("b"), whole.export("b"); got != want {
			t.Errorf("after commit %d failed and the add was repeated:\n%s\nwant\n%s", n, got, want)
		}
	}
	if failed < 2 {
		t.Errorf("an add makes %d commits", failed)
	}
}

// wholeState fails unless all turns are there and every memory has its sources.
func (w *world) wholeState(bank string, turns int) {
	w.t.Helper()
	entries := w.list(bank, "")
	n := 0
	for _, e := range entries {
		if e.Kind == mem.KindTurn {
			n++
		} else if len(e.Sources) == 0 {
			w.t.Errorf("a memory without sources: %+v", e)
		}
	}
	if n != turns {
		w.t.Errorf("%d turns are stored, want %d", n, turns)
	}
}

func TestCaseQueryBeforeFlush(t *testing.T) {
	w := newWorld(t)
	s := said("s1", "2026-01-02T10:00:00Z", "Ana: The spare key is under the blue flowerpot.")
	s.Close = false
	r := w.add("b", s)
	if r.Pending != 1 {
		t.Fatalf("%d turns are pending, want the open tail", r.Pending)
	}
	mentions(t, w.search("b", "Where is the spare key?").Text, "under the blue flowerpot")
}

func TestCaseDeletedThenRetried(t *testing.T) {
	w := newWorld(t)
	s := said("s1", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon last week.", "Ben: I love jazz.")
	w.add("b", s, said("s2", "2026-02-02T10:00:00Z", "Ana: I adopted a dog yesterday."))
	w.remove("b", false, mem.Filter{Sessions: []string{"s1"}})
	if r := w.add("b", s); r.Added != 0 || r.Deleted != 2 {
		t.Errorf("the late retry added %d and left %d deleted", r.Added, r.Deleted)
	}
	silentOn(t, w.export("b"), "Lisbon", "jazz")
	if r := call[core.RestoreResult](w, "restore", core.RestoreRequest{Call: w.head("b"), Sessions: []string{"s1"}}); r.Lifted != 2 {
		t.Errorf("%d marks were lifted", r.Lifted)
	}
	if r := w.add("b", s); r.Added != 2 {
		t.Errorf("after restore %d were added", r.Added)
	}
	mentions(t, w.search("b", "Where did Ana move?").Text, "Lisbon")
}

func TestCaseBankReborn(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("s1", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon last week."))
	mentions(t, w.search("b", "Where did Ana move?").Text, "Lisbon") // now it is cached
	for name, drop := range map[string]func(other *world){
		"by the verb": func(other *world) { call[core.Outcome](other, "drop", other.head("b")) },
		"behind its back": func(other *world) {
			if err := other.set.Store.DropBank(context.Background(), "b"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			other := newWorld(t) // another host
			other.set = w.set
			drop(other)
			_, err := try[core.StatsResult](w, "stats", w.head("b"))
			wantCode(t, err, effect.BankNotFound)
			other.add("b", said("s1", "2026-01-02T10:00:00Z", "Ana: I moved to Porto last week."))
			silentOn(t, w.export("b")+w.search("b", "Where did Ana move?").Text, "Lisbon")
			mentions(t, w.search("b", "Where did Ana move?").Text, "Porto")
			call[core.Outcome](other, "drop", other.head("b"))
			other.add("b", said("s1", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon last week."))
			w.search("b", "Where did Ana move?")
		})
	}
}

func TestCaseForgetAboutX(t *testing.T) {
	w := newWorld(t)
	w.add("b",
		said("s1", "2026-01-02T10:00:00Z", "user: My friend Bo hates fish.", "user: I live in Porto."),
		said("s2", "2026-02-02T10:00:00Z", "user: Bo moved to Lisbon yesterday and we had dinner at the harbour.", "user: He likes it there.", "user: I bought a bottle of olive oil."))
	about := mem.Filter{About: "Bo"}
	before := w.export("b")
	dry := w.remove("b", true, about)
	if !dry.DryRun || len(dry.Entries) == 0 || w.export("b") != before {
		t.Fatalf("the dry run lists %d entries or changed something", len(dry.Entries))
	}
	gone := w.remove("b", false, about)
	if brief(gone.Entries) != brief(dry.Entries) || gone.Turns != dry.Turns || gone.Memories != dry.Memories {
		t.Errorf("went\n%s\nannounced\n%s", brief(gone.Entries), brief(dry.Entries))
	}
	for _, e := range w.list("b", "") {
		for _, word := range strings.FieldsFunc(e.Text+" "+e.Subject, func(r rune) bool { return !strings.ContainsRune("BbOo", r) && (r < 'A' || r > 'z') }) {
			if word == "Bo" {
				t.Errorf("still names Bo: %+v", e)
			}
		}
	}
	mentions(t, w.export("b"), "Porto", "bottle")
	w.storeIsSilentOn("b", "hates fish", "harbour")
}
