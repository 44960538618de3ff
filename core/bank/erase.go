package bank

import (
	"slices"
)

// erase rewrites every block that holds text of the ids: their rows of every
// state, live or superseded; superseded memories that were made from them; and
// model replies, of which nobody knows what they quote; and the names of removed
// sessions. Parts from old on are of this commit and stay.
func (d *draft) erase(ids, sessions []string, old int) error {
	gone := make(map[string]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}
	for i := old - 1; i >= 0; i-- {
		p := &d.parts[i]
		hit := p.holdsReplies()
		for _, id := range ids {
			if e, ok := p.b.findKey(id); ok {
				p.kill(e)
				hit = true
			}
			if e, ok := p.b.findKey(keyVector + id); ok {
				p.kill(e)
				hit = true
			}
		}
		for _, name := range sessions {
			if e, ok := p.b.findKey(keySession + name); ok {
				p.kill(e)
				hit = true
			}
		}
		if hit || p.quotes(ids, gone) {
			p.killReplies()
			if err := d.merge(i, i+1, true); err != nil {
				return err
			}
		}
	}
	for _, r := range d.man.Retired {
		d.gone = append(d.gone, r.Seq)
	}
	d.man.Retired = nil
	return nil
}

// holdsReplies reports whether there are paid replies, live or dead.
func (p *part) holdsReplies() bool {
	return slices.ContainsFunc(p.b.specials, func(sp special) bool { return sp.kind == specialReply })
}

func (p *part) killReplies() {
	for j, sp := range p.b.specials {
		if sp.kind == specialReply {
			p.kill(len(p.b.rows) + j)
		}
	}
}

// quotes reports whether a dead row was made from one of the ids.
func (p *part) quotes(ids []string, gone map[string]bool) bool {
	if p.gone == 0 || len(p.b.srcs) == 0 {
		return false
	}
	found := slices.ContainsFunc(ids, func(id string) bool { _, ok := p.b.strs.find(id); return ok })
	if !found {
		return false
	}
	for row := range p.b.rows {
		if p.dead.has(row) && slices.ContainsFunc(p.b.sources(row), func(s string) bool { return gone[s] }) {
			return true
		}
	}
	return false
}
