//go:build unix

package soak_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

func (m *model) add(w *writer, bank string, r *reference) {
	session := m.newSession()
	if known := r.sessions(); len(known) > 0 && m.chance(60) {
		session = known[m.rnd.IntN(len(known))]
	}
	m.addNew(w, bank, r, session)
}

// addNew adds new turns to a session.
func (m *model) addNew(w *writer, bank string, r *reference, session string) {
	q := core.AddRequest{Call: m.call(bank), Defer: m.chance(15)}
	if m.chance(15) {
		q.ExpiresAt = m.now.Add(time.Duration(1+m.rnd.IntN(180)) * time.Minute)
	}
	in := core.InputSession{ID: session, Close: m.chance(30)}
	var fresh []said
	for range 1 + m.rnd.IntN(4) {
		s := m.newTurn(session, q.ExpiresAt)
		fresh, in.Turns = append(fresh, s), append(in.Turns, s.input)
	}
	q.Sessions = []core.InputSession{in}
	got, err := persist(m, w, func(w *writer) (core.AddResult, error) { return w.Add(ctx, q) })
	if err != nil {
		m.failf("add to %q: %v", bank, err)
	}
	if got.Added+got.Known != len(fresh) || got.Known > 0 && !m.torn {
		m.failf("add of %d turns: %d added, %d known, %d deleted", len(fresh), got.Added, got.Known, got.Deleted)
	}
	r.exists, r.fresh, r.changed = true, true, true
	for _, s := range fresh {
		r.turns[s.id()] = s
	}
}

// addAgain is a client's late retry: known turns stay once, deleted ones gone.
func (m *model) addAgain(w *writer, bank string, r *reference) {
	from, deleted := r.turns, m.chance(50)
	if deleted {
		from = r.marks
	}
	id, ok := pick(m.rnd, from)
	if !ok {
		return
	}
	s := from[id]
	q := core.AddRequest{Call: m.call(bank), ExpiresAt: s.expires, Sessions: []core.InputSession{{ID: s.session, Turns: []core.InputTurn{s.input}}}}
	got, err := persist(m, w, func(w *writer) (core.AddResult, error) { return w.Add(ctx, q) })
	if err != nil {
		m.failf("add again to %q: %v", bank, err)
	}
	if got.Added != 0 || deleted != (got.Deleted == 1) || deleted == (got.Known == 1) {
		m.failf("add of a turn that was deleted (%v): %d added, %d known, %d deleted", deleted, got.Added, got.Known, got.Deleted)
	}
	r.fresh, r.changed = true, true
}

func (m *model) flush(w *writer, bank string, r *reference) {
	q := core.FlushRequest{Call: m.call(bank)}
	got, err := persist(m, w, func(w *writer) (core.AddResult, error) { return w.Flush(ctx, q) })
	if m.missing(err, r) {
		return
	}
	if got.Pending != 0 && !m.nested {
		m.failf("after flush %d turns of %q are pending", got.Pending, bank)
	}
	r.fresh, r.changed = true, true
}

// missing tells that a bank is not there, which must be so.
func (m *model) missing(err error, r *reference) bool {
	m.t.Helper()
	if effect.HasCode(err, effect.BankNotFound) && !r.exists {
		return true
	}
	if err != nil || !r.exists {
		m.failf("the bank is there: %v, error: %v", r.exists, err)
	}
	return false
}

func (m *model) visible(s said) bool { return s.expires.IsZero() || s.expires.After(m.now) }

// search looks for the one turn that holds a word, and sees nothing deleted.
func (m *model) search(w *writer, bank string, r *reference) {
	id, ok := pick(m.rnd, r.turns)
	word := "zqnobodyx"
	if ok {
		word = r.turns[id].token
	}
	if len(r.gone) > 0 && m.chance(30) {
		ok, word = false, r.gone[m.rnd.IntN(len(r.gone))]
	}
	got, err := w.Search(ctx, core.SearchRequest{Call: m.call(bank), Query: mem.Query{Text: "What was said about " + word + "?"}})
	if m.missing(err, r) {
		return
	}
	allowed := map[string]bool{}
	for _, s := range r.turns {
		allowed[s.token] = m.visible(s)
	}
	for id := range r.touched {
		for _, token := range tokensOf(r.memories[id].Text()) {
			allowed[token] = true
		}
	}
	for _, token := range tokensOf(got.Text) {
		if !allowed[token] {
			m.failf("a search of %q shows %s, which was deleted or has expired (%s):\n%s", bank, token, r.fate(token), got.Text)
		}
	}
	if ok && m.visible(r.turns[id]) && !strings.Contains(got.Text, word) {
		m.failf("a search of %q for %s (%q) does not find it:\n%s", bank, word, r.turns[id].input.Text, got.Text)
	}
}

// list shows exactly the turns that are there and have not expired.
func (m *model) list(w *writer, bank string, r *reference) {
	got, err := w.List(ctx, core.ListRequest{Call: m.call(bank), Limit: 10_000, Filter: mem.Filter{Kinds: []mem.Kind{mem.KindTurn}}})
	if m.missing(err, r) {
		return
	}
	shown := map[string]bool{}
	for _, e := range got.Entries {
		shown[e.ID] = true
		if s, ok := r.turns[e.ID]; !ok || !m.visible(s) {
			m.failf("a list of %q shows %s, which is deleted or has expired", bank, e.Text)
		}
	}
	for id, s := range r.turns {
		if m.visible(s) && !shown[id] {
			m.failf("a list of %q lacks %s", bank, s.input.Text)
		}
	}
}

// update changes the wording of a memory.
func (m *model) update(w *writer, bank string, r *reference) {
	id, ok := pick(m.rnd, r.memories)
	if !ok {
		return
	}
	was := r.memories[id]
	m.turns++
	wording := "it is rather " + letters(m.turns)
	q := core.UpdateRequest{Call: m.call(bank), ID: id}
	switch was.Kind {
	case mem.KindProfile:
		q.Value = &wording
	case mem.KindEvent:
		q.State = &wording
	default:
		q.Gist = &wording
	}
	got, err := persist(m, w, func(w *writer) (core.UpdateResult, error) { return w.Update(ctx, q) })
	if err != nil {
		m.failf("update of %s (%s): %v", id, was.Text(), err)
	}
	if !strings.Contains(got.Entry.Text, wording) || len(got.Entry.Revisions) != len(was.Revisions)+1 && !r.fresh && !r.changed {
		m.failf("update of %s gave %+v", id, got.Entry)
	}
	r.memories[id] = worded(was, wording)
	r.touched[id] = true
}

func worded(x mem.Memory, wording string) mem.Memory {
	switch {
	case x.Profile != nil:
		p := *x.Profile
		p.Value, x.Profile = wording, &p
	case x.Event != nil:
		e := *x.Event
		e.State, x.Event = wording, &e
	case x.Record != nil:
		x.Record = &mem.Record{Gist: wording}
	}
	x.Revisions = append(slices.Clone(x.Revisions), mem.Revision{})
	return x
}

// delete erases by id, by session, by speaker and by a word.
func (m *model) delete(w *writer, bank string, r *reference) {
	id, ok := pick(m.rnd, r.turns)
	if !ok {
		return
	}
	s := r.turns[id]
	f, ids := mem.Filter{IDs: []string{s.input.ID}}, map[string]bool{id: true}
	switch n := m.rnd.IntN(10); {
	case n < 4:
		f = mem.Filter{Sessions: []string{s.session}}
	case n < 5:
		f = mem.Filter{Speakers: []string{s.input.Speaker}, Sessions: []string{s.session}}
	case n < 7:
		f = mem.Filter{About: s.token}
	}
	q := core.DeleteRequest{Call: m.call(bank), Filter: f, DryRun: m.chance(10)}
	got, err := persist(m, w, func(w *writer) (core.DeleteResult, error) { return w.Delete(ctx, q) })
	if err != nil {
		m.failf("delete %+v from %q: %v", f, bank, err)
	}
	for other, x := range r.turns {
		if len(f.Sessions) > 0 && x.session == s.session && (len(f.Speakers) == 0 || x.input.Speaker == s.input.Speaker) {
			ids[other] = true
		}
	}
	if got.Turns != len(ids) && !m.torn && !m.nested {
		m.failf("delete %+v from %q took %d turns, want %d", f, bank, got.Turns, len(ids))
	}
	if q.DryRun {
		return
	}
	r.forget(ids, true)
	for _, e := range got.Entries { // memories that the filter itself selects
		delete(r.memories, e.ID)
	}
	if m.torn || m.nested { // what went is not listed in the second answer
		m.relearn(bank, r, f)
	}
}

// relearn drops from the reference the memories that a filter may have selected;
// those that it did not are learnt again.
func (m *model) relearn(bank string, r *reference, f mem.Filter) {
	r.fresh = true
	maps.DeleteFunc(r.memories, func(_ string, x mem.Memory) bool {
		return slices.Contains(f.Sessions, x.Session) || f.About != "" && strings.Contains(strings.ToLower(fmt.Sprintf("%+v %+v %+v", x.Profile, x.Event, x.Record)), f.About)
	})
}

// restore lifts marks; the text is gone all the same.
func (m *model) restore(w *writer, bank string, r *reference) {
	q := core.RestoreRequest{Call: m.call(bank)}
	lifted := maps.Clone(r.marks)
	if id, ok := pick(m.rnd, r.marks); ok && m.chance(80) {
		if m.chance(50) {
			q.IDs, lifted = []string{id}, map[string]said{id: {}}
		} else {
			q.Sessions = []string{r.marks[id].session}
			maps.DeleteFunc(lifted, func(_ string, s said) bool { return s.session != r.marks[id].session })
		}
	}
	got, err := persist(m, w, func(w *writer) (core.RestoreResult, error) { return w.Restore(ctx, q) })
	if m.missing(err, r) {
		return
	}
	if got.Lifted != len(lifted) && !m.torn {
		m.failf("restore %v %v of %q lifted %d marks, want %d", q.IDs, q.Sessions, bank, got.Lifted, len(lifted))
	}
	for id := range lifted {
		delete(r.marks, id)
	}
}

func (m *model) evolve(w *writer, bank string, r *reference) {
	q := core.EvolveRequest{Call: m.call(bank)}
	got, err := persist(m, w, func(w *writer) (core.EvolveResult, error) { return w.Evolve(ctx, q) })
	if m.missing(err, r) {
		return
	}
	if got.Buffered != 0 && !m.nested {
		m.failf("after evolve %d events of %q still wait", got.Buffered, bank)
	}
	r.changed = true
}

// expire purges what has expired and marks nothing.
func (m *model) expire(w *writer, bank string, r *reference) {
	q := core.ExpireRequest{Call: m.call(bank)}
	_, err := persist(m, w, func(w *writer) (core.ExpireResult, error) { return w.Expire(ctx, q) })
	if m.missing(err, r) {
		return
	}
	ids := map[string]bool{}
	for id, s := range r.turns {
		ids[id] = !m.visible(s)
	}
	maps.DeleteFunc(ids, func(_ string, gone bool) bool { return !gone })
	r.forget(ids, false)
}

// reprocess makes all memories anew but those that clients corrected.
func (m *model) reprocess(w *writer, bank string, r *reference) {
	q := core.ReprocessRequest{Call: m.call(bank)}
	_, err := persist(m, w, func(w *writer) (core.AddResult, error) { return w.Reprocess(ctx, q) })
	if m.missing(err, r) {
		return
	}
	maps.DeleteFunc(r.memories, func(id string, _ mem.Memory) bool { return !r.touched[id] })
	r.fresh, r.changed = true, true
}

// copy exports a bank, imports it under another name, compares and drops it.
func (m *model) copy(w *writer, bank string, r *reference) {
	if !r.exists || m.nested {
		return
	}
	lines := w.export(m.t, bank)
	if len(lines) < 2 { // a bank that holds nothing any more; importing nothing makes none
		return
	}
	q := core.ImportRequest{Call: m.call("copy"), Lines: lines}
	if _, err := persist(m, w, func(w *writer) (core.ImportResult, error) { return w.Import(ctx, q) }); err != nil {
		m.failf("import: %v", err)
	}
	w = m.writers[m.rnd.IntN(2)]
	if got, want := text(m.t, w.export(m.t, "copy")), text(m.t, lines); got != want {
		m.failf("export, import, export of %q gives\n%s, want\n%s", bank, got, want)
	}
	_, err := persist(m, w, func(w *writer) (core.Outcome, error) { return w.Drop(ctx, m.call("copy")) })
	m.may(err, effect.BankNotFound) // dropped by an attempt that failed
}

func (m *model) drop(w *writer, bank string, r *reference) {
	if m.nested || m.chance(50) {
		return
	}
	_, err := persist(m, w, func(w *writer) (core.Outcome, error) { return w.Drop(ctx, m.call(bank)) })
	if !m.torn && m.missing(err, r) {
		return
	}
	m.may(err, effect.BankNotFound)
	m.banks[bank] = newReference()
}
