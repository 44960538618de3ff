//go:build unix

package soak_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// TestEveryStoreAgreesWithAPlainReference performs random verbs by two writers
// with caches of their own, kills one of them now and then before or after a
// commit, lets one in between the commits of the other, and compares what the
// bank shows with plain maps.
func TestEveryStoreAgreesWithAPlainReference(t *testing.T) {
	for _, k := range kinds(t) {
		t.Run(k.name, func(t *testing.T) {
			m := newModel(t, k.open(t))
			n := choose(k.ops[0], k.ops[1])
			start := time.Now()
			for m.step = 0; m.step < n; m.step++ {
				m.act()
			}
			m.compareAll()
			t.Logf("%d operations in %v: %v", n, time.Since(start).Round(time.Millisecond), m.counts)
		})
	}
}

// model is one run.
type model struct {
	t       testing.TB
	rnd     *rand.Rand
	store   hostfuncs.Store
	writers [2]*writer
	banks   map[string]*reference
	step    int
	now     time.Time
	turns   int // ever made
	said    int // sessions ever made
	counts  map[string]int
	nested  bool // another writer acts within an operation
	torn    bool // the operation under way is being repeated
}

func newModel(t testing.TB, s hostfuncs.Store) *model {
	m := &model{t: t, rnd: dice(t), store: s, banks: map[string]*reference{}, now: begin, counts: map[string]int{}}
	for i := range m.writers {
		m.writers[i] = newWriter(t, s)
	}
	for _, name := range []string{"a", "a/b", "日本", "a\x01"} {
		m.banks[name] = newReference()
	}
	return m
}

// failf ends the run and names the step.
func (m *model) failf(format string, args ...any) {
	m.t.Helper()
	m.t.Fatalf("step %d: %s", m.step, fmt.Sprintf(format, args...))
}

func (m *model) chance(percent int) bool { return m.rnd.IntN(100) < percent }

func (m *model) call(bank string) core.Call { return core.Call{Bank: bank, Now: m.now} }

// operation is one verb with what the reference makes of it.
type operation struct {
	name   string
	weight int
	do     func(m *model, w *writer, bank string, r *reference)
	writes bool
}

var operations = []operation{
	{"add", 30, (*model).add, true},
	{"add again", 8, (*model).addAgain, true},
	{"flush", 6, (*model).flush, true},
	{"search", 10, (*model).search, false},
	{"list", 4, (*model).list, false},
	{"update", 6, (*model).update, true},
	{"delete", 10, (*model).delete, true},
	{"restore", 4, (*model).restore, true},
	{"evolve", 4, (*model).evolve, true},
	{"expire", 4, (*model).expire, true},
	{"reprocess", 2, (*model).reprocess, true},
	{"copy", 2, (*model).copy, true},
	{"drop", 1, (*model).drop, true},
}

// act performs one operation, perhaps with a crash or another writer in it.
func (m *model) act() {
	m.now = m.now.Add(time.Duration(m.rnd.IntN(300)) * time.Second)
	bank, _ := pick(m.rnd, m.banks)
	r := m.banks[bank]
	op := m.choose()
	if len(r.turns) > 60 {
		op = operations[6] // delete: small banks make many states
	}
	w := m.rnd.IntN(2)
	u := m.writers[w].store
	switch {
	case op.writes && m.chance(5):
		m.counts["crash"]++
		u.arm(1+m.rnd.IntN(4), m.chance(50))
	case op.writes && m.chance(5):
		m.counts["meet"]++
		u.meet(1+m.rnd.IntN(3), func() { m.between(1-w, bank) })
		m.nested = true
	}
	m.counts[op.name]++
	op.do(m, m.writers[w], bank, r)
	m.nested, m.torn = false, false
	m.writers[w].store.disarm()
	if m.chance(6) {
		m.compare(bank)
	}
}

func (m *model) choose() operation {
	total := 0
	for _, op := range operations {
		total += op.weight
	}
	n := m.rnd.IntN(total)
	for _, op := range operations {
		if n -= op.weight; n < 0 {
			return op
		}
	}
	panic("unreachable")
}

// between is what the other writer does in the midst of an operation: something
// whose outcome does not depend on how far that is.
func (m *model) between(w int, bank string) {
	r := m.banks[bank]
	switch m.rnd.IntN(3) {
	case 0:
		m.addNew(m.writers[w], bank, r, m.newSession())
	case 1:
		r.fresh, r.changed = true, true
		_, err := m.writers[w].Flush(ctx, core.FlushRequest{Call: m.call(bank)})
		m.may(err, effect.BankNotFound)
	case 2:
		r.fresh, r.changed = true, true
		_, err := m.writers[w].Evolve(ctx, core.EvolveRequest{Call: m.call(bank)})
		m.may(err, effect.BankNotFound)
	}
}

// may accepts some errors.
func (m *model) may(err error, codes ...effect.Code) {
	m.t.Helper()
	for _, c := range codes {
		if effect.HasCode(err, c) {
			return
		}
	}
	if err != nil {
		m.failf("%v", err)
	}
}

// persist performs a call until it succeeds: when its writer's store failed, a
// new writer with an empty cache does it again.
func persist[R any](m *model, w *writer, call func(w *writer) (R, error)) (R, error) {
	result, err := call(w)
	if !w.store.failed {
		return result, err
	}
	if err == nil {
		m.failf("a call succeeded although its store had failed")
	}
	fresh := newWriter(m.t, m.store)
	for i := range m.writers {
		if m.writers[i] == w {
			m.writers[i] = fresh
		}
	}
	w.Close()
	m.torn = true
	return call(fresh)
}

// compare holds a bank against its reference, through one of the caches or none.
func (m *model) compare(bank string) {
	m.t.Helper()
	w := m.writers[m.rnd.IntN(2)]
	if m.chance(20) {
		w = newWriter(m.t, m.store)
		defer w.Close()
	}
	if err := m.banks[bank].compare(m.t, w.export(m.t, bank)); err != nil {
		m.failf("bank %q: %v", bank, err)
	}
}

func (m *model) compareAll() {
	for name := range m.banks {
		m.compare(name)
		first := text(m.t, m.writers[0].export(m.t, name))
		cold := newWriter(m.t, m.store)
		for _, w := range []*writer{m.writers[1], cold} {
			if got := text(m.t, w.export(m.t, name)); got != first {
				m.failf("bank %q: two caches show different states", name)
			}
		}
		cold.Close()
	}
}

func (m *model) newSession() string {
	m.said++
	return fmt.Sprintf("s%d", m.said)
}

// letters writes a number as letters, so that it is one word in any tokeniser.
func letters(n int) string {
	var b strings.Builder
	for ; n > 0; n /= 26 {
		b.WriteByte(byte('a' + n%26))
	}
	return "zq" + b.String() + "x"
}

var sayings = []string{
	"I moved to %s last week.", "I love %s.", "I work at %s as a nurse.", "My sister %s adopted a dog yesterday.",
	"We walked along the river near %s and talked for hours about the old mill and its owner.", "I quit %s.",
	"I can't stand %s any more.", "我每天骑车去 %s 上班。", "The recipe of %s needs two eggs, flour and a bit of salt.",
	"I bought a %s in Porto on 3 February 2026.", "Do you remember %s?", "My favourite colour is %s.",
}

// newTurn makes a turn that nobody said before.
func (m *model) newTurn(session string, expires time.Time) said {
	m.turns++
	token := letters(m.turns)
	at := m.now.Add(time.Duration(m.rnd.IntN(60)) * time.Second)
	return said{
		session: session, at: at, expires: expires, token: token,
		input: core.InputTurn{
			ID: fmt.Sprintf("%s:%d", session, m.turns), Speaker: []string{"Ana", "Ben"}[m.rnd.IntN(2)],
			Time: at.Format(time.RFC3339), Text: fmt.Sprintf(sayings[m.rnd.IntN(len(sayings))], token),
		},
	}
}
