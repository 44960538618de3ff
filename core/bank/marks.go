package bank

import (
	"encoding/json"

	"github.com/leanmem/leanmem/core/mem"
)

// A mark keeps a deleted turn from coming back with a client's late retry. It
// holds salted hashes only: of the turn's id, which is itself made from the
// text, and of its session.

func (m *manifest) markKey(turnID string) string { return keyMark + mem.Digest("mark", m.Salt, turnID) }

func (m *manifest) markedSession(session string) string {
	return mem.Digest("session", m.Salt, session)
}

// removedKey is where the state of a removed session stands: its name is gone,
// but a flow that was deriving it, or a client that brings it back, finds how
// far it had come.
func (m *manifest) removedKey(session string) string {
	return keySession + "\x00" + m.markedSession(session)
}

func (ch *Change) removedSessions() (names []string) {
	for _, st := range ch.Sessions {
		if st.Removed {
			names = append(names, st.Name)
		}
	}
	return names
}

// markSession gives the body of a turn's mark.
func (d *draft) markSession(turnID string) string {
	row, ok := d.base.Find(turnID)
	if !ok {
		return ""
	}
	return d.man.markedSession(d.base.Row(row).Session)
}

func (b *block) markBody(entry int) (session string) {
	_ = json.Unmarshal(b.body(entry), &session)
	return session
}

// unmark makes the removals of marks that are lifted.
func (d *draft) unmark(ch *Change, put func(item, error) error) error {
	for _, key := range d.base.lifted(ch) {
		if err := d.remove(key, put); err != nil {
			return err
		}
	}
	return nil
}

// lifted lists the keys of the marks that a change lifts, each once.
func (s *Snapshot) lifted(ch *Change) []string {
	if len(ch.Unmark)+len(ch.UnmarkSession) == 0 && !ch.UnmarkAll {
		return nil
	}
	keys, sessions := map[string]bool{}, map[string]bool{}
	for _, id := range ch.Unmark {
		keys[s.man.markKey(id)] = true
	}
	for _, name := range ch.UnmarkSession {
		sessions[s.man.markedSession(name)] = true
	}
	var out []string
	s.eachSpecial(specialMark, func(p *part, e int) {
		if ch.UnmarkAll || keys[p.b.key(e)] || sessions[p.b.markBody(e)] {
			out = append(out, p.b.key(e))
		}
	})
	return out
}

// CountMarks counts the marks that the Unmark… fields of a change would lift.
func (s *Snapshot) CountMarks(ch *Change) int { return len(s.lifted(ch)) }

// Marked reports whether a turn of that id was deleted and must stay so.
func (s *Snapshot) Marked(turnID string) bool {
	_, _, ok := s.special(s.man.markKey(turnID))
	return ok
}
