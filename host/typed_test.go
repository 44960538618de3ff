package host

import (
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

func TestTypedVerbs(t *testing.T) {
	ctx := t.Context()
	h, err := Open(ctx, Config{Set: hostfuncs.Set{Store: memory.New()}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ok := func(what string, holds bool, err error) {
		t.Helper()
		if err != nil || !holds {
			t.Errorf("%s: %v, %v", what, holds, err)
		}
	}
	b := h.Bank("ana")
	added, err := b.Add(ctx, core.InputSession{ID: "s", Turns: []core.InputTurn{
		{ID: "x1", Speaker: "Ana", Time: "2026-05-04T09:00:00Z", Text: "My name is Ana Silva and I live in Porto."},
		{ID: "x2", Speaker: "Ana", Time: "2026-05-04T09:01:00Z", Text: "I adopted a dog called Rui yesterday."},
	}})
	ok("add", added.Added == 2 && added.Pending == 2, err)
	flushed, err := b.Flush(ctx, "s")
	ok("flush", flushed.Pending == 0, err)
	_, err = h.Evolve(ctx, core.EvolveRequest{Call: core.Call{Bank: "ana"}})
	ok("evolve", true, err)
	found, err := b.Search(ctx, "What is the dog called?")
	ok("search", found.Text != "", err)
	answered, err := b.Answer(ctx, "What is the dog called?")
	ok("answer", answered.Query != "", err)
	listed, err := b.List(ctx, mem.Filter{})
	ok("list", listed.Total > 2, err)
	got, err := h.Get(ctx, core.GetRequest{Call: b.call(), IDs: []string{"x1"}})
	ok("get", len(got.Entries) == 1, err)
	_, err = h.Update(ctx, core.UpdateRequest{Call: b.call(), ID: "none"})
	wantCode(t, err, effect.NotFound)
	_, err = h.History(ctx, core.HistoryRequest{Call: b.call(), Subject: "Ana"})
	ok("history", true, err)
	exported, err := h.Export(ctx, core.ExportRequest{Call: b.call()})
	ok("export", len(exported.Lines) > 2, err)
	imported, err := h.Import(ctx, core.ImportRequest{Call: core.Call{Bank: "copy"}, Lines: exported.Lines})
	ok("import", imported.Turns == 2, err)
	_, err = h.Reprocess(ctx, core.ReprocessRequest{Call: b.call()})
	ok("reprocess", true, err)
	deleted, err := b.Delete(ctx, mem.Filter{Sessions: []string{"s"}})
	ok("delete", deleted.Turns == 2, err)
	restored, err := h.Restore(ctx, core.RestoreRequest{Call: b.call()})
	ok("restore", restored.Lifted == 2, err)
	_, err = h.Expire(ctx, core.ExpireRequest{Call: b.call()})
	ok("expire", true, err)
	_, err = b.Stats(ctx)
	ok("stats", true, err)
	banks, err := h.Banks(ctx, core.BanksRequest{})
	ok("banks", len(banks.Banks) == 2, err)
	_, err = b.Drop(ctx)
	ok("drop", true, err)
	version, err := h.Version(ctx)
	ok("version", version.ABI == core.ABI, err)
}

func TestARequestTakesTheHostsClockAndOptions(t *testing.T) {
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	h := &Host{config: Config{Now: func() time.Time { return now }, Options: mem.Options{LLM: true, MaxCalls: 3}}}
	for request, want := range map[string]string{
		`{}`:                             `{"now":"2026-06-01T00:00:00Z","options":{"llm":true,"max_calls":3}}`,
		`{"bank":"a" } `:                 `{"bank":"a","now":"2026-06-01T00:00:00Z","options":{"llm":true,"max_calls":3}}`,
		`{"now":"2026-01-01T00:00:00Z"}`: `{"now":"2026-01-01T00:00:00Z","options":{"llm":true,"max_calls":3}}`,
		`{"now":"0001-01-01T00:00:00Z","a":[1,2]}`: `{"now":"0001-01-01T00:00:00Z","a":[1,2],"now":"2026-06-01T00:00:00Z","options":{"llm":true,"max_calls":3}}`,
		`{"now":null,"options":{"llm":false}}`:     `{"now":null,"options":{"llm":false},"now":"2026-06-01T00:00:00Z","options":{"max_calls":3}}`,
		`{"now":7}`:                                `{"now":7,"options":{"llm":true,"max_calls":3}}`,
		`{"bank":7}`:                               `{"bank":7}`,
		`[]`:                                       `[]`,
	} {
		c, err := h.prepare("search", []byte(request))
		if err != nil || string(c.request) != want {
			t.Errorf("%s becomes\n%s, %v, want\n%s", request, c.request, err, want)
		}
	}
	typed := core.Call{Options: mem.Options{MaxCalls: 9}}
	h.stamp(&typed)
	if typed.ABI != core.ABI || !typed.Now.Equal(now) || !typed.Options.LLM || typed.Options.MaxCalls != 9 {
		t.Errorf("stamped %+v", typed)
	}
}
