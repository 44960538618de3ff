package bank

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// sampleBank has every kind of entry.
func sampleBank(tb testing.TB) (*testStore, *Handle) {
	st := newTestStore()
	h := open(tb, testCache(), st, "b")
	turn := testTurn("s", 0, "Ana", "I moved to Lisbon, walking all the way, and walked back.")
	turn.Labels = map[string]string{"user": "u"}
	long := testTurn("s", 1, "Bo", strings.Repeat("A whale swims by. ", 40))
	commit(tb, h, &Change{
		Embedder: &testEmbedder, Turns: []mem.Turn{turn, long}, Sessions: []SessionState{{Name: "s", Next: 2}},
		Memories: []mem.Memory{testEvent(0, "home", "Lisbon", turn.ID), testRecord("gist", turn.ID, long.ID)},
		Replies:  []PaidReply{{Hash: "1", Text: "reply"}}, Mark: []string{turn.ID},
	})
	commit(tb, h, &Change{Used: []string{"1"}, Reindex: &Reindex{To: Embedder{"next", 3}, Vectors: map[string][]int8{turn.ID: {1, 2, 3}}}})
	return st, h
}

func FuzzDecodeBlock(f *testing.F) {
	st, _ := sampleBank(f)
	for k, v := range st.banks["b"] {
		if k != "m" {
			f.Add(v, true)
		}
	}
	f.Add([]byte("LMB\x01"), false)
	f.Fuzz(func(t *testing.T, raw []byte, sum bool) {
		if sum && len(raw) >= 8 { // reach behind the checksum
			raw = bytes.Clone(raw)
			copy(raw, "LMB\x01")
			binary.LittleEndian.PutUint32(raw[4:], crc32.Checksum(raw[8:], castagnoli))
		}
		useBlock(t, raw)
	})
}

// useBlock reads whatever the bytes hold and writes it again.
func useBlock(t *testing.T, raw []byte) (sound bool) {
	b, err := decodeBlock(raw)
	if err != nil {
		if !effect.HasCode(err, effect.StoreCorrupt) && !effect.HasCode(err, effect.FormatTooNew) {
			t.Fatalf("no code: %v", err)
		}
		return false
	}
	m := &manifest{Format: Format, Embedder: testEmbedder}
	ref := blockRef{Bytes: len(raw), Rows: b.entries()}
	s := newSnapshot("b", "v", m, []part{newPart(b, ref)}, nil)
	dump(s)
	s.Unindexed(testEmbedder)
	s.DerivedFrom([]string{"x"})
	parts := []part{newPart(b, ref), newPart(b, ref)}
	supersede(parts)
	d := &draft{c: testCache(), base: s, man: m.clone(), parts: parts, fresh: map[uint64][]byte{}, patched: true}
	if err := d.merge(0, 2, false); err != nil {
		// Names out of order and the like show only when they are written anew.
		if !effect.HasCode(err, effect.Internal) {
			t.Fatalf("no code: %v", err)
		}
	}
	return true
}

var mutations = flag.Int("mutations", 3000, "how many damaged blocks to read")

// Blocks that are damaged behind a checksum that matches do no harm. A fuzzer
// rarely gets so deep, for the sections must add up.
func TestMutatedBlocks(t *testing.T) {
	st, _ := sampleBank(t)
	r := rand.New(rand.NewSource(1))
	sound := 0
	keys := slices.Sorted(maps.Keys(st.banks["b"]))
	for range *mutations {
		raw := bytes.Clone(st.banks["b"][keys[r.Intn(len(keys)-1)]])
		for range 1 + r.Intn(4) {
			at := 8 + r.Intn(len(raw)-8)
			raw[at] = []byte{0, 1, raw[at] + 1, raw[at] - 1, 0x7f, 0x80, 0xff, byte(r.Intn(256))}[r.Intn(8)]
		}
		binary.LittleEndian.PutUint32(raw[4:], crc32.Checksum(raw[8:], castagnoli))
		if useBlock(t, raw) {
			sound++
		}
	}
	t.Logf("%d of %d could be read", sound, *mutations)
}

func FuzzDecodeManifest(f *testing.F) {
	st, _ := sampleBank(f)
	f.Add(st.banks["b"]["m"], false)
	f.Add([]byte("LMM\x01xxxx{\"format\":1,\"next\":3,\"blocks\":[{\"s\":1}]}"), true)
	f.Fuzz(func(t *testing.T, raw []byte, sum bool) {
		if sum && len(raw) >= 8 {
			raw = bytes.Clone(raw)
			copy(raw, "LMM\x01")
			binary.LittleEndian.PutUint32(raw[4:], crc32.Checksum(raw[8:], castagnoli))
		}
		m, err := decodeManifest(raw)
		if err != nil {
			if !effect.HasCode(err, effect.StoreCorrupt) && !effect.HasCode(err, effect.FormatTooNew) {
				t.Fatalf("no code: %v", err)
			}
			return
		}
		if _, err := encodeManifest(m); err != nil {
			t.Fatal(err)
		}
	})
}

// Any single byte of a stored value that is changed or cut off is noticed.
func TestDamageIsNoticed(t *testing.T) {
	st, _ := sampleBank(t)
	for key, value := range st.banks["b"] {
		for i := range value {
			bad := bytes.Clone(value)
			bad[i] ^= 0x10
			wantCorrupt(t, st, key, bad)
			wantCorrupt(t, st, key, value[:i])
		}
		wantCorrupt(t, st, key, append(bytes.Clone(value), 0))
		newer := bytes.Clone(value)
		newer[3] = Format + 1
		if err := openWith(st, key, newer); !effect.HasCode(err, effect.FormatTooNew) {
			t.Errorf("a newer format: %v", err)
		}
	}
}

func openWith(st *testStore, key string, value []byte) error {
	keep := st.banks["b"][key]
	st.banks["b"][key] = value
	defer func() { st.banks["b"][key] = keep }()
	_, err := testCache().Open(context.Background(), st.client("b"))
	return err
}

func wantCorrupt(t *testing.T, st *testStore, key string, value []byte) {
	t.Helper()
	if err := openWith(st, key, value); !effect.HasCode(err, effect.StoreCorrupt) && !effect.HasCode(err, effect.FormatTooNew) {
		t.Fatalf("%x: damage was not noticed: %v", key, err)
	}
}

// A field that mem.Turn or mem.Memory gains is stored without a change here.
func TestEveryFieldIsStored(t *testing.T) {
	var turn mem.Turn
	var memory mem.Memory
	fill(reflect.ValueOf(&turn).Elem(), "t")
	fill(reflect.ValueOf(&memory).Elem(), "m")
	memory.Kind, memory.Profile, memory.Record = mem.KindEvent, nil, nil
	h := open(t, testCache(), newTestStore(), "b")
	commit(t, h, &Change{Turns: []mem.Turn{turn}, Memories: []mem.Memory{memory}})
	row, _ := h.Snapshot().Find(turn.ID)
	if got := h.Snapshot().TurnAt(row); !reflect.DeepEqual(got, roundTrip(turn)) {
		t.Errorf("turn: %+v", got)
	}
	row, _ = h.Snapshot().Find(memory.ID)
	if got := h.Snapshot().MemoryAt(row); !reflect.DeepEqual(got, roundTrip(memory)) {
		t.Errorf("memory: %+v", got)
	}
}

// fill sets every field to something.
func fill(v reflect.Value, name string) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(testTime))
	case v.Kind() == reflect.String:
		v.SetString(name)
	case v.Kind() == reflect.Int:
		v.SetInt(7)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), name+v.Type().Field(i).Name)
		}
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), name+"0")
		fill(v.Index(1), name+"1")
	case v.Kind() == reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{name: "v"}))
	}
}

// The stems in stored blocks are those of stemVersion: raise it when this
// fails because text.Stem improved.
func TestStemVersionNamesTheStemmer(t *testing.T) {
	var b strings.Builder
	for _, w := range strings.Fields("walking walked happily ponies relational conditional skies dying general generously news innings écouter 中文 don't running cats agreed") {
		fmt.Fprint(&b, text.Stem(w), " ")
	}
	const want = "walk walk happili poni relat condit sky die general generous news inning écouter 中文 don't run cat agre "
	if b.String() != want {
		t.Errorf("stems of version %d were\n%s, now\n%s", stemVersion, want, b.String())
	}
}

func TestStemsOfAnotherVersionAreMadeAnew(t *testing.T) {
	_, h := sampleBank(t)
	s := h.Snapshot()
	want := dump(s)
	for i := range s.parts {
		s.parts[i].b.stemmed, s.parts[i].b.lazyStems = stems{}, nil
	}
	sameDump(t, "stems", want, dump(s))
}

func TestAwkwardNamesAndBytes(t *testing.T) {
	st := newTestStore()
	h := open(t, testCache(), st, "a-b/ü")
	texts := []string{`C:\tmp | a/b -x "q"`, "", "\x00\xff\xfe not utf-8", "我每天骑车上班", strings.Repeat("word ", 40_000), strings.Repeat("x", 100_000), strings.Repeat(" ", 5000)}
	ch := &Change{Embedder: &testEmbedder}
	for i, s := range texts {
		turn := testTurn("s\x00é", i, "\xffspeaker", s)
		turn.Labels = map[string]string{"\xff": "\xff"}
		ch.Turns = append(ch.Turns, turn)
	}
	commit(t, h, ch)
	s := open(t, testCache(), st, "a-b/ü").Snapshot()
	for i, row := range s.SessionTurns("s\x00é") {
		if got := s.TurnAt(row); got.Text != texts[i] || got.ID != ch.Turns[i].ID || got.Speaker != "\xffspeaker" {
			t.Errorf("turn %d came back changed", i)
		}
	}
	if n, _ := s.Count(mem.KindTurn); n != len(texts) || s.Frequency("骑车") != 1 {
		t.Errorf("%d turns", n)
	}
	for _, bad := range []mem.Turn{{}, {ID: "\x00s"}, {ID: "t1", Seq: -1}, {ID: "t2", Text: strings.Repeat("x", maxEntry)}} {
		err := h.Commit(context.Background(), func(*Snapshot) (*Change, error) { return &Change{Turns: []mem.Turn{bad}}, nil })
		if !effect.HasCode(err, effect.InvalidArgument) && !effect.HasCode(err, effect.TooLarge) {
			t.Errorf("%v", err)
		}
	}
}

func TestLargeChangeIsSplit(t *testing.T) {
	st := newTestStore()
	h := open(t, testCache(), st, "b")
	commit(t, h, &Change{Embedder: &testEmbedder, Turns: benchTurns(0, 20_000)})
	for k, v := range st.banks["b"] {
		if len(v) > maxBlock {
			t.Errorf("%x has %d bytes", k, len(v))
		}
	}
	if n, _ := h.Snapshot().Blocks(); n < 3 || n > 8 {
		t.Errorf("%d blocks", n)
	}
	if n, _ := h.Snapshot().Count(mem.KindTurn); n != 20_000 {
		t.Errorf("%d turns", n)
	}
}

func TestCacheEvictsTheLeastUsed(t *testing.T) {
	st, big := newTestStore(), testCache()
	for _, b := range []string{"a", "b", "c"} {
		commit(t, open(t, big, st, b), &Change{Turns: benchTurns(0, 200)})
	}
	one := open(t, testCache(), st, "a").Snapshot().bytes()
	c := NewCache(2*one + one/2)
	for _, b := range []string{"a", "b", "a", "c"} {
		open(t, c, st, b)
	}
	if got := fmt.Sprint(c.Holds()); got != "[a c]" || c.total > c.max {
		t.Errorf("the cache holds %s, %d of %d bytes", got, c.total, c.max)
	}
}

// joinOf1 is joinSections of format 1.
func joinOf1(parts *[sections][]byte) []byte {
	raw := append([]byte(blockMagic), 1, 0, 0, 0, 0)
	for _, p := range parts[:sectionsOf1] {
		raw = put32(raw, len(p))
	}
	for _, p := range parts[:sectionsOf1] {
		raw = append(raw, p...)
	}
	binary.LittleEndian.PutUint32(raw[4:], crc32.Checksum(raw[8:], castagnoli))
	return raw
}

// A block of format 1 lacks the hash of the line in each row and the signs of
// words, and reads alike.
func TestBlocksOfFormat1AreRead(t *testing.T) {
	st, _ := sampleBank(t)
	lines := 0
	for key, raw := range st.banks["b"] {
		if key[0] != 'b' {
			continue
		}
		want, err := decodeBlock(raw)
		if err != nil {
			t.Fatal(err)
		}
		parts, err := splitSections(raw)
		if err != nil {
			t.Fatal(err)
		}
		var narrow []byte
		for rows := parts[secRows]; len(rows) > 0; rows = rows[rowSize:] {
			narrow = append(narrow, rows[:rowSizeOf1]...)
		}
		parts[secRows] = narrow
		old := joinOf1(&parts)
		got, err := decodeBlock(old)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.rows, want.rows) {
			t.Errorf("rows differ:\n%+v\n%+v", got.rows, want.rows)
		}
		for i := range got.rows {
			if got.rows[i].Line != 0 {
				lines++
			}
		}
		parts[secRows] = append(narrow, 0)
		if _, err := decodeBlock(joinOf1(&parts)); !effect.HasCode(err, effect.StoreCorrupt) {
			t.Errorf("a row cut short: %v", err)
		}
	}
	if lines == 0 {
		t.Error("the sample has no memory of a line")
	}
}
