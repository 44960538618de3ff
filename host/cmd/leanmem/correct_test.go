package main

import (
	"encoding/json"
	"regexp"
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
