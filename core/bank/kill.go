package bank

// supersede marks in every part the entries of which a later part has the key,
// from nothing: one walk over all keys in order. It is what a cold load does.
func supersede(parts []part) {
	tables := make([]table, len(parts))
	for i := range parts {
		tables[i] = parts[i].b.keys
	}
	last, have := "", false
	walk(tables, func(key string, i, at int) {
		if have && key == last {
			parts[i].kill(int(le32(parts[i].b.keyEntry, at)))
			return
		}
		last, have = key, true
	})
}

// walk visits the strings of sorted tables in one order; of equal strings the
// one of the later table comes first.
func walk(tables []table, yield func(s string, table, at int)) {
	heap := make([]cursor, 0, len(tables))
	for i, t := range tables {
		if t.len() > 0 {
			heap = append(heap, cursor{table: i})
			heap[len(heap)-1].stand(t)
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	for len(heap) > 0 {
		c := &heap[0]
		yield(c.s, c.table, c.at)
		if c.at++; c.at < tables[c.table].len() {
			c.stand(tables[c.table])
		} else {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		sink(heap, 0)
	}
}

// cursor stands at one string of a table.
type cursor struct {
	s     string
	head  uint64 // its first eight bytes, which mostly decide
	table int
	at    int
}

func (c *cursor) stand(t table) {
	c.s, c.head = t.at(c.at), 0
	if len(c.s) >= 8 {
		c.head = uint64(c.s[0])<<56 | uint64(c.s[1])<<48 | uint64(c.s[2])<<40 | uint64(c.s[3])<<32 |
			uint64(c.s[4])<<24 | uint64(c.s[5])<<16 | uint64(c.s[6])<<8 | uint64(c.s[7])
		return
	}
	for i := range len(c.s) {
		c.head |= uint64(c.s[i]) << (56 - 8*i)
	}
}

func (c *cursor) before(d *cursor) bool {
	if c.head != d.head {
		return c.head < d.head
	}
	if c.s != d.s {
		return c.s < d.s
	}
	return c.table > d.table
}

// sink restores the order of a heap whose item i may be too large.
func sink(heap []cursor, i int) {
	for {
		m := i
		for j := 2*i + 1; j <= 2*i+2 && j < len(heap); j++ {
			if heap[j].before(&heap[m]) {
				m = j
			}
		}
		if m == i {
			return
		}
		heap[i], heap[m] = heap[m], heap[i]
		i = m
	}
}

// supersedeFrom marks what the part at n supersedes in the parts before it. It
// is what a commit and an incremental load do for each new part; the cost does
// not grow with old parts but for a binary search a key. A new part may also
// stand before known ones, where blocks were merged or rewritten; of those only
// what was live was taken over, so no known part supersedes anything in it.
func supersedeFrom(parts []part, n int) {
	for i := range n {
		killShared(&parts[i], parts[n].b)
	}
}

// killShared marks the entries of p that a newer block has, too.
func killShared(p *part, newer *block) {
	old := p.b
	if old.keys.len() < newer.keys.len() {
		for i := range old.keys.len() {
			if _, ok := newer.keys.find(old.keys.at(i)); ok {
				p.kill(int(le32(old.keyEntry, i)))
			}
		}
		return
	}
	for i := range newer.keys.len() {
		if e, ok := old.findKey(newer.keys.at(i)); ok {
			p.kill(e)
		}
	}
}
