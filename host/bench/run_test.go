package bench

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/dialogue"
)

// friends is the project's own dialogue, whose turns are plain enough for BM25.
func friends(t *testing.T) *dialogue.History {
	t.Helper()
	h, err := dialogue.Load("../../testdata/dialogues/friends.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return h[0]
}

// letters is an embedder for tests: counts of letters.
func letters(_ context.Context, texts []string, _ string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = make([]float32, 26)
		for _, r := range strings.ToLower(s) {
			if r >= 'a' && r <= 'z' {
				out[i][r-'a']++
			}
		}
	}
	return out, nil
}

func TestBaselinesOnAKnownDialogue(t *testing.T) {
	ledger, _ := OpenLedger("")
	b := &Bench{Methods: Baselines(letters), Histories: []*dialogue.History{friends(t)}, Budgets: []int{300, 2000}, Ledger: ledger}
	results, err := b.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := Summarise(b, results)
	rows := map[string]Row{}
	for _, r := range s.Rows {
		rows[r.Method] = r
	}
	if full := rows["full text"].Cells[0]; full.Text.Mean != 1 || full.ID.Mean != 1 || full.Tokens < 3000 {
		t.Errorf("full text: recall %v, %v tokens", full.Text.Mean, full.Tokens)
	}
	few, many := rows["BM25"].Cells[0], rows["BM25"].Cells[1]
	if few.Text.Mean < 0.4 || many.Text.Mean <= few.Text.Mean || many.OverBudget+few.OverBudget > 0 {
		t.Errorf("BM25: recall %v, %v; over budget %d", few.Text.Mean, many.Text.Mean, many.OverBudget+few.OverBudget)
	}
	if rag := rows["naive RAG (10 turns)"].Cells[0]; rag.Tokens > 600 || rag.Text.N == 0 {
		t.Errorf("naive RAG: %+v", rag)
	}
	if m := few.ByCategory["temporal"]; m.N == 0 {
		t.Error("no category temporal")
	}
}

// counted is a method that fails after some questions.
type counted struct {
	asked *int
	limit int
}

func (c counted) Evidence(context.Context, dialogue.Question, int) (Evidence, Cost, error) {
	if *c.asked++; *c.asked > c.limit {
		return Evidence{}, Cost{}, errors.New("the power went out")
	}
	confidence := 0.5
	return Evidence{Text: "x", Items: []mem.Item{{Text: "x"}}, Confidence: &confidence}, Cost{}, nil
}
func (counted) Built() Cost  { return Cost{} }
func (counted) Close() error { return nil }

func TestAnInterruptedRunGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	h := friends(t)
	run := func(name string, limit int) (int, error) {
		asked := 0
		ledger, err := OpenLedger(path)
		if err != nil {
			t.Fatal(err)
		}
		defer ledger.Close()
		m := Method{Name: "m", Build: func(context.Context, []core.InputSession) (Memory, error) { return counted{&asked, limit}, nil }}
		b := &Bench{Methods: []Method{m}, Histories: []*dialogue.History{h}, Budgets: []int{500}, Ledger: ledger, Run: name}
		_, err = b.Do(t.Context())
		return asked, err
	}
	if _, err := run("one", 10); err == nil {
		t.Fatal("the failure was swallowed")
	}
	torn, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	_, _ = torn.WriteString(`{"run":"one","hist`)
	torn.Close()
	if asked, err := run("one", 1000); err != nil || asked != len(h.Questions)-10 {
		t.Errorf("asked %d of %d again: %v", asked, len(h.Questions), err)
	}
	if asked, _ := run("one", 1000); asked != 0 {
		t.Errorf("a finished run asked %d", asked)
	}
	if asked, _ := run("two", 1000); asked != len(h.Questions) {
		t.Errorf("results of another program were used: asked %d", asked)
	}
}

func TestReportIsOneWellFormedPageWithoutNetwork(t *testing.T) {
	ledger, _ := OpenLedger("")
	b := &Bench{Methods: Baselines(letters), Histories: []*dialogue.History{friends(t)}, Budgets: []int{300, 1000}, Ledger: ledger}
	results, err := b.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := WriteHTML(&page, Summarise(b, results), "Recall & <tokens>"); err != nil {
		t.Fatal(err)
	}
	html := page.String()
	for _, bad := range []string{"http://", "https://", "src=", "ZgotmplZ", "NaN", "<tokens>"} {
		if strings.Contains(html, bad) {
			t.Errorf("the report holds %q", bad)
		}
	}
	svg := html[strings.Index(html, "<svg"):]
	dec := xml.NewDecoder(strings.NewReader(svg[:strings.Index(svg, "</svg>")+6]))
	for {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the plot is not well formed: %v", err)
		}
	}
	if n := strings.Count(svg, "<polyline"); n != 3 {
		t.Errorf("%d curves, want 3 (BM25, BM25 + neighbours, dense)", n)
	}
}
