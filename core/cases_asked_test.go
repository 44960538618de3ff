package core_test

// Cases of how a verb is asked and what its result says was done.

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/read"
)

func TestCaseASwitchThatThereIsNot(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("s", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon in March."))
	q := core.SearchRequest{Call: w.head("b"), Query: mem.Query{Text: "Where does Ana live?"}}
	for _, name := range append(append([]string{}, mem.Stages...), read.Terms...) {
		q.Options.Off = []string{name}
		call[core.SearchResult](w, "search", q)
	}
	q.Options.Off = []string{mem.OffPlanning, "planing"}
	_, err := try[core.SearchResult](w, "search", q)
	wantCode(t, err, effect.InvalidArgument)
	mentions(t, err.Error(), `"planing"`, "segmentation", "timelines")
}

func TestCaseSettlingIsCounted(t *testing.T) {
	w := newWorld(t)
	open := said("s", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon in March.", "Bo: How is it there?", "Ana: I love the trams.")
	open.Close = false
	if r := w.add("b", open); r.Settled != 0 || r.Pending != 3 {
		t.Errorf("an open session: %+v", r)
	}
	flush := core.FlushRequest{Call: w.head("b")}
	r := call[core.AddResult](w, "flush", flush)
	if r.Settled != 3 || r.Pending != 0 || r.Derived["profile"] == 0 {
		t.Errorf("flush: %+v", r)
	}
	if again := call[core.AddResult](w, "flush", flush); again.Settled != 0 {
		t.Errorf("flush again: %+v", again)
	}
	anew := call[core.AddResult](w, "reprocess", core.ReprocessRequest{Call: w.head("b")})
	if anew.Settled != 3 || anew.Derived["profile"] != r.Derived["profile"] {
		t.Errorf("reprocess: %+v, flush made %+v", anew, r.Derived)
	}
	if r := w.add("b", said("t", "2026-01-03T10:00:00Z", "Ana: I bought a bicycle yesterday.")); r.Settled != 1 {
		t.Errorf("a closed session: %+v", r)
	}
	for _, verb := range []string{"flush", "reprocess"} {
		_, err := try[core.AddResult](w, verb, core.FlushRequest{Call: w.head("b"), Sessions: []string{"s", "none"}})
		wantCode(t, err, effect.NotFound)
	}
}

// A long consolidation can be seen and stopped, keeps what it has decided, and
// goes on to the same end.
func TestCaseALongConsolidationIsStopped(t *testing.T) {
	var days []core.InputSession
	for i := range 300 {
		at := time.Date(2024, 1, 1, 10, 0, 0, 0, time.UTC).AddDate(0, 0, i)
		days = append(days, said(fmt.Sprintf("s%03d", i), at.Format(time.RFC3339),
			fmt.Sprintf("Ana: Yesterday I planted %d trees behind the old mill near the river.", i), "Bo: And I bought a new boat for the regatta in Porto."))
	}
	whole := newWorld(t)
	if r := whole.add("b", days...); r.Derived["event"] <= 300 {
		t.Fatalf("%d events: too few to be told of", r.Derived["event"])
	}
	w := newWorld(t)
	told := 0
	w.set.Progress = func(_ context.Context, p effect.Progress) error {
		if p.Stage != "evolve" {
			return nil
		}
		told++
		return effect.Errorf(effect.Canceled, "stopped")
	}
	_, err := try[core.AddResult](w, "add", core.AddRequest{Call: w.head("b"), Sessions: days})
	wantCode(t, err, effect.Canceled)
	stats := call[core.StatsResult](w, "stats", w.head("b"))
	if told != 1 || stats.Counts["buffered"] == 0 || stats.Counts["buffered"] >= stats.Counts["event"]-200 {
		t.Errorf("told %d times, %d of %d events wait", told, stats.Counts["buffered"], stats.Counts["event"])
	}
	w.set.Progress = nil
	w.add("b", days...)
	if w.export("b") != whole.export("b") {
		t.Error("the bank is another one than without the stop")
	}
}

func TestCaseARequestOfAnotherForm(t *testing.T) {
	w := newWorld(t)
	for request, want := range map[string]string{
		`[1]`:                        "search: decode request: it is a JSON array; expected an object",
		`{"bank":7}`:                 `search: decode request: field "bank" cannot be a JSON number`,
		`{"bank":"b","time":"noon"}`: `search: decode request: a time is not of the form 2023-05-08T13:56:00Z`,
		`{"bank":"b","budget":12.5}`: `search: decode request: field "budget" cannot be a JSON number`,
	} {
		_, err := w.engine.Call(context.Background(), w.port(), "search", []byte(request))
		if e := effect.AsError(err); e.Code != effect.InvalidArgument || e.Message != want {
			t.Errorf("%s: %v", request, err)
		}
	}
}

func TestCaseAKindThatThereIsNot(t *testing.T) {
	w := newWorld(t)
	w.add("b", said("s", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon in March."))
	filter := mem.Filter{Kinds: []mem.Kind{mem.KindTurn, "profiles"}}
	for verb, q := range map[string]any{
		"search": core.SearchRequest{Call: w.head("b"), Query: mem.Query{Text: "Where does Ana live?", Filter: filter}},
		"answer": core.AnswerRequest{Call: w.head("b"), Query: mem.Query{Text: "Where does Ana live?", Filter: filter}},
		"list":   core.ListRequest{Call: w.head("b"), Filter: filter},
		"delete": core.DeleteRequest{Call: w.head("b"), Filter: filter},
	} {
		_, err := try[map[string]any](w, verb, q)
		wantCode(t, err, effect.InvalidArgument)
		mentions(t, err.Error(), `"profiles"`, "profile", "event", "record", "turn")
	}
}

func TestCaseAnImportedSessionWithoutRoomForAnotherTurn(t *testing.T) {
	w := newWorld(t)
	line := core.ExportLine{Session: &core.SessionLine{Name: "s", Next: 1 << 40, Derived: 1 << 40}}
	_, err := try[core.ImportResult](w, "import", core.ImportRequest{Call: w.head("b"), Lines: []core.ExportLine{line}})
	wantCode(t, err, effect.InvalidArgument)
	mentions(t, err.Error(), "line 1", "1099511627776 turns", "limit")
	w.add("b", said("s", "2026-01-02T10:00:00Z", "Ana: I moved to Lisbon in March."))
}
