package leanmem_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/strategy/leanmem"
)

var pool = []string{
	"I love jazz and I play the violin", "I moved to Berlin last Friday", "How do I boil rice?", "Sounds good!", "My sister Bea is a nurse",
	"We hiked up Mount Ida yesterday and saw three eagles near the summit", "I've been vegan for 3 years", "Thanks!", "What did you do?",
	"The recipe needs 200 g of flour, two eggs, a pinch of salt and a cup of milk", "I bought a red bicycle on Monday", "I can't stand jazz",
	"Our garden is full of tomatoes, beans and a very old apple tree", "I started a pottery class in March", "That's so cool!",
	"The train to Porto leaves at 9:40 from platform 3", "I quit chess", "My dog Rex chased a squirrel through the market", "I live in Rome",
	"The lecture was about medieval bridges and their builders in the Alps", "我每天骑车上班", "Do you like it there?", "Bea speaks Greek and plays Go",
}

func random(seed int64, session string, n int) []mem.Turn {
	r := rand.New(rand.NewSource(seed))
	var lines []string
	for i := range n {
		said := pool[r.Intn(len(pool))]
		if topic := i / 7; topic%3 > 0 && len(said) > 20 { // a run of turns of one topic
			said += fmt.Sprintf(" That was near lighthouse%d and harbour%d.", topic, topic)
		}
		lines = append(lines, fmt.Sprintf("%s: %s", []string{"Ana", "Bo"}[i%2], said))
	}
	return dialogue(session, "2023-05-10", lines...)
}

func TestTurnByTurnOrAtOnceGiveTheSameMemories(t *testing.T) {
	for seed := range int64(6) {
		turns := random(seed, "s", 130)
		want := ""
		if seed%2 == 1 { // long turns: the tail is cut by its tokens
			for i := range turns {
				turns[i].Text = strings.Repeat(turns[i].Text+" ", 1+i%9*4)
			}
		}
		for _, calls := range []int{1, 20, len(turns)} {
			w := newWorld()
			h := w.open(t)
			for i := range calls {
				from, to := i*len(turns)/calls, (i+1)*len(turns)/calls
				add(t, h, turns[from:to], to == len(turns))
				derive(t, h, mem.Options{})
				if i%7 == 3 {
					h = w.open(t) // the process starts again
				}
			}
			got := texts(h)
			if want == "" {
				want = got
			}
			if got != want {
				t.Fatalf("seed %d: %d calls give\n%s\none call gives\n%s", seed, calls, got, want)
			}
		}
		if strings.Count(want, "\n") < 20 {
			t.Errorf("seed %d: only %d memories", seed, strings.Count(want, "\n"))
		}
	}
}

func TestAnOpenTailWaitsUntilItIsLong(t *testing.T) {
	w := newWorld()
	h := w.open(t)
	turns := random(1, "s", 60)
	add(t, h, turns[:30], false)
	derive(t, h, mem.Options{})
	if s := stateOf(t, h, "s"); s.Derived != 0 || len(memories(h)) != 0 {
		t.Errorf("30 open turns: derived %d, %d memories; want none", s.Derived, len(memories(h)))
	}
	add(t, h, turns[30:41], false)
	derive(t, h, mem.Options{})
	if s := stateOf(t, h, "s"); s.Derived == 0 || s.Derived > 39 {
		t.Errorf("41 open turns: derived %d, want all segments but the last", s.Derived)
	}
	add(t, h, turns[41:], false)
	derive(t, h, mem.Options{})
	if s := stateOf(t, h, "s"); s.Derived == 0 || s.Derived == 60 {
		t.Errorf("60 open turns: derived %d, want a part of them", s.Derived)
	}
}

func TestARunKilledAnywhereLosesAndRepeatsNothing(t *testing.T) {
	want := ""
	for kill := 0; ; kill++ {
		w := newWorld()
		n, died := 0, false
		h := w.open(t)
		for i := range 4 {
			add(t, h, random(int64(i), fmt.Sprint("s", i), 30), true)
		}
		w.before = func(effect.Request) error {
			if n++; kill > 0 && n >= kill {
				died = true
				return errors.New("killed")
			}
			return nil
		}
		err := leanmem.New().Derive(context.Background(), h, run(mem.Options{}))
		if died != (err != nil) {
			t.Fatalf("kill %d: %v", kill, err)
		}
		w.before = nil
		h = w.open(t)
		derive(t, h, mem.Options{})
		if want == "" {
			want = texts(h)
		}
		if got := texts(h); got != want {
			t.Fatalf("killed at effect %d:\n%s\nwant\n%s", kill, got, want)
		}
		if kill > 0 && !died {
			return
		}
	}
}

func TestTheAblationsOfTable2AreSettings(t *testing.T) {
	turns := random(3, "s", 40)
	counts := map[string]map[mem.Kind]int{}
	for _, off := range []string{"", mem.OffFilter, mem.OffSegmentation, mem.OffScheduling} {
		w := newWorld()
		h := w.open(t)
		add(t, h, turns, true)
		derive(t, h, mem.Options{Off: []string{off}})
		counts[off] = map[mem.Kind]int{}
		for _, m := range memories(h) {
			counts[off][m.Kind]++
		}
	}
	if c := counts[mem.OffSegmentation]; c[mem.KindRecord] != 1 || c[mem.KindProfile] == 0 {
		t.Errorf("w/o segmentation: %v, want one record", c)
	}
	if c := counts[mem.OffScheduling]; c[mem.KindProfile]+c[mem.KindEvent] != 0 || c[mem.KindRecord] < 1 {
		t.Errorf("w/o scheduling: %v, want records alone", c)
	}
	if counts[""][mem.KindEvent] == 0 || counts[mem.OffFilter][mem.KindEvent] == 0 {
		t.Errorf("counts = %v", counts)
	}
}

func TestADeletedSourceTakesItsMemoryAlong(t *testing.T) {
	w := newWorld()
	h := w.open(t)
	add(t, h, dialogue("s", "2023-05-10", "Ana: I love jazz", "Ana: I play the violin"), true)
	// Another writer deletes a turn while derivation is under way.
	other := w.open(t)
	fired := false
	w.before = func(r effect.Request) error {
		if r.Op == effect.OpCommit && !fired {
			fired = true
			return erase(other, dialogue("s", "2023-05-10", "Ana: I love jazz")[0].ID)
		}
		return nil
	}
	derive(t, h, mem.Options{})
	if got := brief(h); got != "p Ana hobby: violin" {
		t.Errorf("memories: %s, want the violin alone", got)
	}
}

func BenchmarkDerivePerTurn(b *testing.B) {
	turns := random(1, "s", 400)
	b.ReportAllocs()
	for range b.N {
		b.StopTimer()
		w := newWorld()
		h := w.open(b)
		add(b, h, turns, true)
		b.StartTimer()
		derive(b, h, mem.Options{})
	}
	b.ReportMetric(float64(b.N*len(turns))/b.Elapsed().Seconds(), "turns/s")
}
