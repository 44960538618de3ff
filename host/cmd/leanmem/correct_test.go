package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core"
)

func TestHistoryShowsEveryWordingOfACorrectedMemory(t *testing.T) {
	store := storeFlag(t)
	do := func(args ...string) string {
		t.Helper()
		return leanmem(t, "", append([]string{store, "--now", "2026-06-01T08:30:00Z"}, args...)...).ok(t).out
	}
	do("add", "--text", "I live in Porto", "--speaker", "Ana", "--session", "s1", "--time", "2026-01-10")
	var r core.ListResult
	if err := json.Unmarshal([]byte(do("--json", "list", "--kind", "profile")), &r); err != nil || len(r.Entries) != 1 {
		t.Fatalf("%d profiles: %v", len(r.Entries), err)
	}
	id := r.Entries[0].ID
	do("update", id, "--value", "Braga")
	updated := do("update", id, "--value", "Faro")
	for _, want := range []string{
		`made by +user`,
		`earlier +Ana location: Porto \(until 2026-06-01 08:30:00Z\)`,
		`earlier +Ana location: Braga \(until`,
	} {
		if !regexp.MustCompile(want).MatchString(updated) {
			t.Errorf("update printed no %q:\n%s", want, updated)
		}
	}
	history := do("history", id)
	want := `(?s)worded until 2026-06-01 08:30:00Z .*corrected +Ana location: Porto\n.*corrected +Ana location: Braga\n.*current +Ana location: Faro\n`
	if !regexp.MustCompile(want).MatchString(history) {
		t.Errorf("history:\n%s", history)
	}
}

func TestAStateThatRepeatsAnotherIsNotListedAsASecondCurrentOne(t *testing.T) {
	store := storeFlag(t)
	for _, day := range []string{"2026-01-10", "2026-02-10"} {
		leanmem(t, "", store, "add", "--text", "I live in Porto", "--speaker", "Ana", "--session", day, "--time", day).ok(t)
	}
	out := leanmem(t, "", store, "list", "--kind", "profile").ok(t).out
	if !regexp.MustCompile(`(?s)2026-01-10 .*current .*2026-02-10 .*repeats `).MatchString(out) {
		t.Errorf("list:\n%s", out)
	}
}

// What was stored or named must not paint over the screen of who looks at it.
func TestNothingThatIsShownReachesTheTerminalAsAControlCode(t *testing.T) {
	store := storeFlag(t)
	const code = "\x1b]0;T\x07"
	bank := "--bank=b" + code
	turn := `{"session":"s\u001b[2J","id":"1\u001b[2J","speaker":"Ana\u001b[2J","time":"2026-05-04T09:00:00Z","text":"I moved to \u001b[2JLisbon last week."}`
	leanmem(t, turn, store, bank, "add", "--format", "jsonl", "-").ok(t)
	for _, args := range [][]string{
		{"banks"}, {"stats"}, {"list"}, {"get", "1\x1b[2J"}, {"search", "where does Ana live?"}, {"answer", "where does Ana live?"},
		{"history", "--subject", "Ana"}, {"doctor"}, {"get", code}, {"add", code + ".jsonl"}, {"stats", "--store=buntdb:" + code},
	} {
		r := leanmem(t, "", append([]string{store, bank}, args...)...)
		if both := r.out + r.errs; strings.ContainsAny(both, "\x1b\x07") || len(both) < 5 {
			t.Errorf("%q prints %q", args, both)
		}
	}
}
