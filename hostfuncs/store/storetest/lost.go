package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// Loser loses answers of a server.
type Loser interface {
	// Lose has the answer lost that follows so many others. meanwhile runs when
	// the request took place and its sender cannot know yet.
	Lose(after int, meanwhile func())
	// Lost reports whether that has happened. If not, it will not.
	Lost() bool
}

func nothing() {}

// LostAnswers tests a store whose server's answers are lost: what took place is
// told of as such, and is not done twice. Each request loses its first answer,
// then its second, for as long as any request has so many.
func LostAnswers(t *testing.T, s hostfuncs.Store, l Loser) {
	// What a connection, a statement or a script needs once is there from here on.
	mustCommit(t, s, "warm", "", "v1", put("k", "1"))
	mustCommit(t, s, "warm", "v1", "v2", put("k", "2"))
	mustCommit(t, s, "warm", "v2", "")
	for after, lost := 0, true; lost; after++ {
		lost = loseThroughLife(t, s, l, after)
		if after == 0 && !lost {
			t.Fatal("no answer was lost")
		}
	}
}

// loseThroughLife loses the answer after so many others of each request in the
// life of two banks, and reports whether any had one.
func loseThroughLife(t *testing.T, s hostfuncs.Store, l Loser, after int) (lost bool) {
	t.Helper()
	b, c, d := fmt.Sprint("b", after), fmt.Sprint("c", after), fmt.Sprint("d", after)
	commit := func(bank, expected, version string, wantOK bool, want string, writes ...effect.Write) {
		t.Helper()
		l.Lose(after, nothing)
		ok, current, err := s.Commit(t.Context(), bank, expected, version, writes)
		lost = l.Lost() || lost
		if err != nil || ok != wantOK || current != want {
			t.Errorf("answer %d lost of commit %q after %q to %q: %v, %q, %v; want %v, %q", after, version, expected, bank, ok, current, err, wantOK, want)
		}
	}
	rename := func(from, to string, code effect.Code) {
		t.Helper()
		l.Lose(after, nothing)
		err := s.RenameBank(t.Context(), from, to)
		lost = l.Lost() || lost
		if code == "" && err != nil || code != "" && !effect.HasCode(err, code) {
			t.Errorf("answer %d lost of rename %q to %q: %v, want %q", after, from, to, err, code)
		}
	}
	commit(b, "", "v1", true, "v1", put("k", "1"))
	commit(b, "v1", "v2", true, "v2", put("k", "2"))
	commit(b, "v1", "w2", false, "v2", put("k", "3"))
	rename(b, c, "")
	rename(b, d, effect.BankNotFound)
	mustCommit(t, s, b, "", "v1")
	rename(b, c, effect.BankExists)
	wantBanks(t, s, b, c)
	if values, version, err := s.Get(t.Context(), c, [][]byte{[]byte("k")}); err != nil || version != "v2" || string(values[0]) != "2" {
		t.Errorf("%q at %q, %v", values, version, err)
	}
	commit(c, "v2", "", true, "")
	wantBanks(t, s, b)
	mustCommit(t, s, b, "v1", "")
	return lost
}

// LostAmidOthers tests a store that loses the answer of a commit, upon which
// others then build more than a thousand before it can ask: what took place is
// told of as such. s loses its answers by way of l; others does not.
func LostAmidOthers(t *testing.T, s, others hostfuncs.Store, l Loser) {
	mustCommit(t, s, "warm", "", "v1", put("k", "1"))
	mustCommit(t, s, "warm", "v1", "v2", put("k", "2"))
	var landings int
	for after, lost := 0, true; lost; after++ {
		bank, landed := fmt.Sprint("b", after), false
		mustCommit(t, s, bank, "", "v1")
		l.Lose(after, func() {
			_, at, err := others.Get(t.Context(), bank, nil)
			if err != nil {
				t.Error(err)
			}
			landed = at == "v2"
			for i := range 1200 {
				next := fmt.Sprint("w", i)
				if ok, _, err := others.Commit(t.Context(), bank, at, next, nil); !ok || err != nil {
					t.Error(ok, err)
				}
				at = next
			}
		})
		ok, current, err := s.Commit(t.Context(), bank, "v1", "v2", []effect.Write{put("k", "1")})
		lost = l.Lost()
		switch {
		case err != nil || lost && ok != landed || !lost && !ok:
			t.Errorf("answer %d lost %v, the commit landed %v: the writer was told %v, %q, %v", after, lost, landed, ok, current, err)
		case lost && landed:
			landings++
		}
	}
	if landings == 0 {
		t.Error("no commit landed whose answer was lost")
	}
}

func wantBanks(t *testing.T, s hostfuncs.Store, want ...string) {
	t.Helper()
	if names, _, err := s.Banks(t.Context(), "", 0); err != nil || !slices.Equal(names, want) {
		t.Errorf("the banks are %q, %v; want %q", names, err, want)
	}
}
