package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestSoak adds, searches, deletes and moves a bank until LEANMEM_SOAK (a time
// span) is over, and holds after every round that what was said is found and
// what was deleted is not.
func TestSoak(t *testing.T) {
	span, err := time.ParseDuration(os.Getenv("LEANMEM_SOAK"))
	if err != nil {
		t.Skip("set LEANMEM_SOAK to a time span, or run ./build.sh soak")
	}
	dir := t.TempDir()
	store := "--store=buntdb:" + filepath.Join(dir, "soak.db")
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	rounds := 0
	for end := time.Now().Add(span); time.Now().Before(end); rounds++ {
		soakRound(t, store, rounds, random)
	}
	var stats struct{ Counts map[string]int }
	out := leanmem(t, "", store, "--json", "stats").ok(t).out
	if err := json.Unmarshal([]byte(out), &stats); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "soak.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d rounds, %v, file of %d bytes", rounds, stats.Counts, info.Size())
}

func soakRound(t *testing.T, store string, round int, random *rand.Rand) {
	t.Helper()
	secret := fmt.Sprintf("quokka%d%d", round, random.IntN(1000))
	session := fmt.Sprintf("soak-%d", round)
	var lines strings.Builder
	for i := range 3 + random.IntN(20) {
		fmt.Fprintf(&lines, `{"session":%q,"id":"%s:%d","speaker":"Ana","time":"2025-03-02T18:%02d:00Z","text":"Today I planted tree %d by the river and saw a heron."}`+"\n", session, session, i, i, random.IntN(100))
	}
	fmt.Fprintf(&lines, `{"session":%q,"id":"%s:x","speaker":"Ana","time":"2025-03-02T19:00:00Z","text":"My password for the boat shed is %s."}`+"\n", session, session, secret)
	leanmem(t, lines.String(), store, "add", "--format", "jsonl", "-").ok(t)
	if out := leanmem(t, "", store, "search", "what is the password "+secret).ok(t).out; !strings.Contains(out, secret) {
		t.Errorf("round %d: what was just said is not found", round)
	}
	if random.IntN(2) == 0 {
		leanmem(t, "", store, "delete", "--session", session).ok(t)
		if out := leanmem(t, "", store, "export").ok(t).out; strings.Contains(out, secret) {
			t.Errorf("round %d: what was deleted is exported", round)
		}
	}
}
