package bank

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
)

// Report tells what Check found in a bank.
type Report struct {
	Version  string   `json:"version"`
	Blocks   int      `json:"blocks"`
	Bytes    int      `json:"bytes"`
	Turns    int      `json:"turns"`
	Memories int      `json:"memories"`
	Faults   []string `json:"faults,omitempty"` // for a person; no text of a memory
}

// maxFaults is where a report stops listing.
const maxFaults = 100

func (r *Report) fault(format string, args ...any) {
	if len(r.Faults) < maxFaults {
		r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
	}
}

// Check reads everything that a bank holds and verifies it: the manifest and
// its place in the version chain, every block against its checksum and its
// hash, every entry of it by decoding it, and that the store holds nothing
// which the manifest does not name. It changes nothing and may run while others
// write.
func Check(ctx context.Context, client effect.Client) (*Report, error) {
	for range loadAttempts {
		r, whole, err := check(ctx, client)
		if err != nil || whole {
			return r, err
		}
	}
	return nil, effect.Retryf(effect.Conflict, "check bank %q: it changed while it was read, %d times", client.Bank, loadAttempts)
}

// check is one attempt; whole is false when the bank changed meanwhile.
func check(ctx context.Context, client effect.Client) (r *Report, whole bool, err error) {
	values, version, err := client.Get(ctx, manifestKey)
	if err != nil {
		return nil, false, err
	}
	if version == "" {
		return nil, false, effect.Errorf(effect.BankNotFound, "bank %q does not exist", client.Bank)
	}
	r = &Report{Version: version}
	if values[0] == nil {
		r.fault("it has a version but no manifest")
		return r, true, nil
	}
	m, err := decodeManifest(values[0])
	if err != nil {
		r.fault("%s", effect.AsError(err).Message)
		return r, true, nil
	}
	r.manifest(m, version, values[0])
	s, whole, err := r.blocks(ctx, client, m, version)
	if err != nil || !whole {
		return r, whole, err
	}
	if s != nil {
		r.snapshot(s)
	}
	whole, err = r.keys(ctx, client, m, version)
	return r, whole, err
}

func (r *Report) manifest(m *manifest, version string, raw []byte) {
	previous := ""
	if len(m.Past) > 0 {
		previous = m.Past[0]
	}
	if chain(previous, raw) != version {
		r.fault("its version is not the one that follows from its manifest")
	}
	for _, ref := range m.Retired {
		if ref.Seq >= m.Next {
			r.fault("the manifest retires block %d, which was never made", ref.Seq)
		}
	}
	for _, ref := range m.Blocks {
		r.Blocks++
		r.Bytes += ref.Bytes
	}
}

// blocks reads each block by itself. It gives a snapshot when all are sound.
func (r *Report) blocks(ctx context.Context, client effect.Client, m *manifest, version string) (s *Snapshot, whole bool, err error) {
	var parts []part
	for _, ref := range m.Blocks {
		values, now, err := client.Get(ctx, blockKey(ref.Seq))
		if err != nil {
			return nil, false, err
		}
		if now != version {
			return nil, false, nil
		}
		raw := values[0]
		if raw == nil {
			r.fault("block %d is missing", ref.Seq)
			continue
		}
		b, err := decodeBlock(raw)
		if err != nil {
			r.fault("block %d: %s", ref.Seq, effect.AsError(err).Message)
			continue
		}
		if len(raw) != ref.Bytes || le32(raw, 1) != ref.CRC || b.entries() != ref.Rows || blockHash(raw) != ref.Hash {
			r.fault("block %d is another one than the manifest names", ref.Seq)
		}
		r.entries(b, ref.Seq)
		parts = append(parts, newPart(b, ref))
	}
	if len(parts) != len(m.Blocks) {
		return nil, true, nil
	}
	supersede(parts)
	return newSnapshot(client.Bank, version, m, parts, nil), true, nil
}

// entries decodes every entry of a block, live or not, as strictly as it was
// written.
func (r *Report) entries(b *block, seq uint64) {
	for row := range b.rows {
		if what := b.wrongRow(row); what != "" {
			r.fault("block %d, row %d (%s %s): %s", seq, row, b.rows[row].Kind, b.rows[row].ID, what)
		}
	}
	for i, sp := range b.specials {
		body := b.body(len(b.rows) + i)
		var into any
		switch sp.kind {
		case specialSession:
			into = new(SessionState)
		case specialReply:
			into = new(PaidReply)
		case specialMark:
			into = new(string)
		default:
			continue
		}
		if err := json.Unmarshal(body, into); err != nil {
			r.fault("block %d, entry %d of kind %d cannot be decoded", seq, i, sp.kind)
		}
	}
}

// wrongRow tells what is wrong with a row; "" for nothing.
func (b *block) wrongRow(row int) string {
	r := &b.rows[row]
	if r.Kind != mem.KindTurn {
		var m mem.Memory
		if err := json.Unmarshal(b.body(row), &memoryBody{Memory: &m}); err != nil {
			return "its body cannot be decoded"
		}
		if r.Kind == mem.KindProfile && m.Profile == nil || r.Kind == mem.KindEvent && m.Event == nil || r.Kind == mem.KindRecord && m.Record == nil {
			return "its body is of another kind"
		}
		return ""
	}
	head := row - int(r.Passage)
	if r.Passage == 0 {
		var t mem.Turn
		if err := json.Unmarshal(b.body(row), &turnBody{Turn: &t}); err != nil {
			return "its body cannot be decoded"
		}
		if !utf8.Valid(b.text(row)) {
			return "its text is not UTF-8"
		}
	}
	if int(r.End) > len(TurnText(b.decodeTurn(head))) {
		return "a passage ends behind its text"
	}
	return ""
}

// snapshot checks what only all blocks together tell.
func (r *Report) snapshot(s *Snapshot) {
	next := map[string]int{}
	s.eachSpecial(specialSession, func(p *part, e int) {
		st := p.b.state(e)
		next[st.Name] = st.Next
		if st.Derived > st.Next {
			r.fault("a session counts more turns as memory than it has")
		}
	})
	seen := map[string]bool{}
	s.Each(func(_ int, row *Row) {
		if row.Passage > 0 {
			return
		}
		if seen[row.ID] {
			r.fault("the id %s is there twice", row.ID)
		}
		seen[row.ID] = true
		if row.Kind != mem.KindTurn {
			r.Memories++
			return
		}
		r.Turns++
		if n, ok := next[row.Session]; ok && row.Seq >= n {
			r.fault("turn %s has the place %d in a session of %d", row.ID, row.Seq, n)
		}
	})
}

// keys looks for values that the manifest does not name: texts that a deletion
// could not reach.
func (r *Report) keys(ctx context.Context, client effect.Client, m *manifest, version string) (whole bool, err error) {
	known := map[string]bool{string(manifestKey): true}
	for _, ref := range m.Blocks {
		known[string(blockKey(ref.Seq))] = true
	}
	for _, ref := range m.Retired {
		known[string(blockKey(ref.Seq))] = true
	}
	strangers := 0
	var after []byte
	for {
		entries, more, now, err := client.Scan(ctx, nil, after, 0)
		if err != nil {
			return false, err
		}
		if now != version {
			return false, nil
		}
		for _, e := range entries {
			if !known[string(e.Key)] {
				strangers++
			}
			after = e.Key
		}
		if !more || len(entries) == 0 {
			break
		}
	}
	if strangers > 0 {
		r.fault("the store holds %d values of this bank that its manifest does not name", strangers)
	}
	return true, nil
}
