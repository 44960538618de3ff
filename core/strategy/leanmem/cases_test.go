package leanmem_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/strategy/leanmem"
)

// history adds a session a line, a month apart, and shows the states of the
// profiles that they leave.
func history(t *testing.T, lines ...string) string {
	t.Helper()
	w := newWorld()
	h := w.open(t)
	for i, l := range lines {
		add(t, h, dialogue(fmt.Sprint("s", i), fmt.Sprintf("2023-%02d-01", i+1), l), true)
	}
	derive(t, h, mem.Options{})
	var profiles []mem.Memory
	for _, m := range memories(h) {
		if m.Profile != nil {
			profiles = append(profiles, m)
		}
	}
	var out []string
	for _, s := range mem.ProfileStates(profiles) {
		x := fmt.Sprintf("%s %s..%s", s.Memory.Text(), s.From, s.Until)
		if s.Current {
			x += " current"
		}
		if s.Repeats != "" {
			x += " repeats"
		}
		out = append(out, x)
	}
	return strings.Join(out, "\n")
}

func TestHistoriesOfWhatPeopleSay(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  []string
	}{
		{"a repeat, then its reversal", []string{"user: I love jazz", "user: I love jazz", "user: I can't stand jazz"}, []string{
			"user likes: jazz 2023-01-01..2023-03-01", "user likes: jazz 2023-02-01..2023-03-01 repeats", "user dislikes: jazz 2023-03-01.. current"}},
		{"two values at once, then one ends", []string{"user: I play the violin", "user: I also play chess on Sundays", "user: I quit chess"}, []string{
			"user hobby: violin 2023-01-01.. current", "user hobby: chess on Sundays 2023-02-01..2023-03-01", "user no longer hobby: chess 2023-03-01.."}},
		{"two values that both hold", []string{"user: I play the violin", "user: I also play chess on Sundays"}, []string{
			"user hobby: violin 2023-01-01.. current", "user hobby: chess on Sundays 2023-02-01.. current"}},
		{"a new employer succeeds", []string{"user: I work at Acme", "user: I started a new job at Globex"}, []string{
			"user employer: Acme 2023-01-01..2023-02-01", "user employer: Globex 2023-02-01.. current"}},
		{"a friend's fact is the friend's", []string{"user: My friend Bo hates fish"}, []string{
			"Bo dislikes: fish 2023-01-01.. current", "user friend: Bo 2023-01-01.. current"}},
		{"Chinese", []string{"user: 我喜欢爵士乐", "user: 我不喜欢爵士乐了"}, []string{
			"user 喜欢: 爵士乐 2023-01-01..2023-02-01", "user 不喜欢: 爵士乐 2023-02-01.. current"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := history(t, tt.lines...), strings.Join(tt.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestOneSessionTellsEarlierFromLater(t *testing.T) {
	w := newWorld()
	h := w.open(t)
	add(t, h, dialogue("s", "2023-05-10", "Ana: I live in Rome.", "Bo: Nice, the trams there are old.", "Ana: I moved to Oslo! I mean, I live in Oslo."), true)
	derive(t, h, mem.Options{})
	var profiles []mem.Memory
	for _, m := range memories(h) {
		if m.Profile != nil && m.Profile.Attribute == "location" {
			profiles = append(profiles, m)
		}
	}
	for _, s := range mem.ProfileStates(profiles) {
		if s.Current != (s.Memory.Profile.Value == "Oslo") {
			t.Errorf("%s: current %v", s.Memory.Text(), s.Current)
		}
	}
}

func TestAStoreThatRejectsTheCommitLosesNothing(t *testing.T) {
	w := newWorld()
	h := w.open(t)
	add(t, h, dialogue("s", "2023-05-10", "Ana: I love jazz"), true)
	real := w.store
	w.store = rejecting{real}
	if err := leanmem.New().Derive(context.Background(), h, run(mem.Options{})); !effect.HasCode(err, effect.StoreFull) {
		t.Fatalf("error %v", err)
	}
	w.store = real
	h = w.open(t)
	if len(memories(h)) != 0 || stateOf(t, h, "s").Derived != 0 {
		t.Errorf("half written: %s", brief(h))
	}
	derive(t, h, mem.Options{})
	if got := brief(h); got != "p Ana likes: jazz" {
		t.Errorf("after a retry: %s", got)
	}
}

// rejecting is a store that is full.
type rejecting struct{ effect.Port }

func (r rejecting) Do(ctx context.Context, requests []effect.Request) ([]effect.Reply, error) {
	if requests[0].Op == effect.OpCommit {
		return []effect.Reply{{Err: effect.Errorf(effect.StoreFull, "commit: the store is full")}}, nil
	}
	return r.Port.Do(ctx, requests)
}
