package buntdb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/leanmem/leanmem/core/effect"
)

// place is where a record stands in the file.
type place struct {
	seq   uint64
	start int64 // of the command
	value int64 // of the record
	end   int64 // of the command
}

// scanned is what reading a file found.
type scanned struct {
	salt   salt
	base   uint64  // how many records compaction wrote
	places []place // sound records in order
	damage []Damage
	size   int64
	good   int64 // the end of the last sound command before any damage
	nul    bool  // everything after good is NUL bytes
}

// Damage is a part of a file that is no sound record.
type Damage struct {
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
	Reason string `json:"reason"`
}

// tail reports whether nothing sound stands after the first damage.
func (s scanned) tail() bool {
	if len(s.damage) > 0 && s.damage[0].Offset == 0 && s.good > 0 {
		return false // the header
	}
	return len(s.damage) == 0 || len(s.places) == 0 || s.places[len(s.places)-1].end <= s.damage[0].Offset
}

// hole reports whether a record is missing that compaction had brought to the
// disk before the file got its name: no crash explains that.
func (s scanned) hole() bool {
	return s.good > 0 && (uint64(len(s.places)) < s.base || (s.base > 0 && s.places[s.base-1].seq != s.base))
}

func (s scanned) reason() string {
	if len(s.damage) == 0 {
		return "commits are missing"
	}
	d := s.damage[0]
	return fmt.Sprintf("%d bytes at %d are damaged (%s), and what is damaged was acknowledged", d.Bytes, d.Offset, d.Reason)
}

// scan reads a whole file. visit, if not nil, is given every sound record.
func scan(f *os.File, visit func(s salt, p place, value string)) (scanned, error) {
	var s scanned
	info, err := f.Stat()
	if err != nil {
		return s, err
	}
	s.size = info.Size()
	r := reader{f: f, size: s.size}
	next, err := s.readHeader(r)
	if err != nil || s.good == 0 && next == 0 {
		return s, err
	}
	for at := next; at < s.size; {
		p, value, err := r.record(s.salt, at)
		if err == nil && len(s.places) > 0 && p.seq <= s.places[len(s.places)-1].seq {
			err = errors.New("a record is out of order")
		}
		if err == nil {
			s.places = append(s.places, p)
			if visit != nil {
				visit(s.salt, p, value)
			}
			at = p.end
			if len(s.damage) == 0 {
				s.good = at
			}
			continue
		}
		if !errors.Is(err, errShort) && !isDamage(err) {
			return s, err
		}
		resume := r.search(s.salt, at+1)
		s.damage = append(s.damage, Damage{at, resume - at, err.Error()})
		at = resume
	}
	if err := s.cutUnwritten(r, visit == nil); err != nil {
		return s, err
	}
	if len(s.damage) == 1 && s.tail() {
		s.nul = allZero(f, s.good, s.size)
	}
	return s, nil
}

// readHeader reads the header or, where it is damaged, its copy, and tells where
// the records begin; 0 for a file that ends within its header.
func (s *scanned) readHeader(r reader) (next int64, err error) {
	foreign := errors.New("it is not a leanmem store, or its header is damaged")
	key, value, _, next, err := r.command(0)
	if err == nil && key == headerKey {
		if s.salt, s.base, err = parseHeader(value); err == nil {
			s.good = next
			if key, again, _, end, err := r.command(next); err == nil && key == copyKey && again == value {
				s.good = end
			}
			return s.good, nil
		}
		if effect.HasCode(err, effect.FormatTooNew) {
			return 0, err
		}
		foreign = err
	} else if errors.Is(err, errShort) && isHeaderStart(r.f, s.size) {
		// Created and never written to: only a crash at birth leaves this.
		s.damage = []Damage{{0, s.size, "the header is cut off"}}
		return 0, nil
	}
	key, value, _, next, err = r.command(copyAt)
	if err != nil || key != copyKey {
		return 0, foreign
	}
	if s.salt, s.base, err = parseHeader(value); err != nil {
		return 0, foreign
	}
	s.damage = []Damage{{0, copyAt, "the header is damaged"}}
	s.good = next
	return next, nil
}

// cutUnwritten takes the last record for damaged if its values fail their
// checksums: a crash may leave a commit with its frame on the disk and not all
// of its values. It was not acknowledged, and goes like any torn tail. While
// records are visited, replaying finds such values by itself.
func (s *scanned) cutUnwritten(r reader, cut bool) error {
	for cut && s.tail() && len(s.places) > 0 && s.places[len(s.places)-1].seq > s.base {
		p := s.places[len(s.places)-1]
		_, value, err := r.record(s.salt, p.start)
		if err != nil {
			return err
		}
		rec, err := decode(s.salt, p.seq, value)
		if err != nil {
			return err
		}
		if rec.written(value) {
			return nil
		}
		s.places, s.good = s.places[:len(s.places)-1], p.start
		s.damage = []Damage{{p.start, s.size - p.start, "the values of a commit were not written"}}
	}
	return nil
}

// written reports whether all values came to the disk, erased since or not.
func (r record) written(value string) bool {
	for _, w := range r.writes {
		v := value[w.at : w.at+w.size]
		if !w.del && checksum(v) != w.sum && !erased(v) {
			return false
		}
	}
	return true
}

func isHeaderStart(f *os.File, size int64) bool {
	b := make([]byte, min(size, 48))
	if _, err := f.ReadAt(b, 0); err != nil {
		return false
	}
	want := []byte(commandHead(len(headerKey), headerKey, headerLen))
	n := min(len(b), len(want))
	return bytes.Equal(b[:n], want[:n])
}

var errShort = errors.New("a command is cut off")

type damaged struct{ reason string }

func (d damaged) Error() string { return d.reason }

func isDamage(err error) bool {
	var d damaged
	return errors.As(err, &d)
}

// reader reads commands anywhere in a file.
type reader struct {
	f    *os.File
	size int64
	buf  []byte
}

// record reads the record whose command begins at at.
func (r *reader) record(s salt, at int64) (place, string, error) {
	key, value, from, next, err := r.command(at)
	if err != nil {
		return place{}, "", err
	}
	if len(key) != keyLen || key[0] != 'c' {
		return place{}, "", damaged{"a command has a foreign key"}
	}
	seq, err := strconv.ParseUint(key[1:], 16, 64)
	if err != nil {
		return place{}, "", damaged{"a command has a foreign key"}
	}
	if _, err := decode(s, seq, value); err != nil {
		return place{}, "", damaged{err.Error()}
	}
	return place{seq, at, from, next}, value, nil
}

// command reads the SET that begins at at.
func (r *reader) command(at int64) (key, value string, from, next int64, err error) {
	const lead = "*3\r\n$3\r\nset\r\n"
	if at >= r.size {
		return "", "", 0, 0, errShort
	}
	head := make([]byte, min(128, r.size-at))
	if _, err := r.f.ReadAt(head, at); err != nil && err != io.EOF {
		return "", "", 0, 0, fmt.Errorf("read at %d: %w", at, err)
	}
	pos := len(lead)
	if len(head) < pos {
		if bytes.HasPrefix([]byte(lead), head) {
			return "", "", 0, 0, errShort
		}
		return "", "", 0, 0, damaged{"no command begins here"}
	}
	if string(head[:pos]) != lead {
		return "", "", 0, 0, damaged{"no command begins here"}
	}
	n, pos, err := length(head, pos)
	if err != nil {
		return "", "", 0, 0, err
	}
	if n > keyLen {
		return "", "", 0, 0, damaged{"a command has a foreign key"}
	}
	if pos+int(n)+2 > len(head) {
		return "", "", 0, 0, errShort
	}
	key = string(head[pos : pos+int(n)])
	if pos += int(n); string(head[pos:pos+2]) != "\r\n" {
		return "", "", 0, 0, damaged{"a command does not end as it says"}
	}
	pos += 2
	n, pos, err = length(head, pos)
	if err != nil {
		return "", "", 0, 0, err
	}
	from = at + int64(pos)
	if n+2 > r.size-from {
		return "", "", 0, 0, errShort
	}
	body := make([]byte, n+2)
	if _, err := r.f.ReadAt(body, from); err != nil {
		return "", "", 0, 0, fmt.Errorf("read at %d: %w", from, err)
	}
	if body[n] != '\r' || body[n+1] != '\n' {
		return "", "", 0, 0, damaged{"a command does not end as it says"}
	}
	return key, string(body[:n]), from, from + n + 2, nil
}

// length reads "$digits\r\n".
func length(b []byte, pos int) (int64, int, error) {
	if pos >= len(b) {
		return 0, 0, errShort
	}
	end := bytes.Index(b[pos:], []byte("\r\n"))
	if end < 0 {
		if len(b)-pos < 16 {
			return 0, 0, errShort
		}
		return 0, 0, damaged{"a command has no length"}
	}
	if b[pos] != '$' {
		return 0, 0, damaged{"a command has no length"}
	}
	digits := string(b[pos+1 : pos+end])
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > 1<<31 || strconv.FormatInt(n, 10) != digits {
		return 0, 0, damaged{"a command has no length"}
	}
	return n, pos + end + 2, nil
}

// search finds the next sound record at or after at, or the end of the file.
func (r *reader) search(s salt, at int64) int64 {
	if r.buf == nil {
		r.buf = make([]byte, 1<<20)
	}
	for at < r.size {
		n, _ := r.f.ReadAt(r.buf, at)
		if n == 0 {
			break
		}
		window := r.buf[:n]
		for pos := 0; ; {
			i := bytes.Index(window[pos:], []byte(intro))
			if i < 0 {
				break
			}
			pos += i
			if _, _, err := r.record(s, at+int64(pos)); err == nil {
				return at + int64(pos)
			}
			pos++
		}
		if at+int64(n) >= r.size {
			break
		}
		at += int64(n - len(intro) + 1)
	}
	return r.size
}

func allZero(f *os.File, from, to int64) bool {
	buf := make([]byte, 64<<10)
	for from < to {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), to-from)], from)
		if err != nil && err != io.EOF || n == 0 {
			return false
		}
		for _, b := range buf[:n] {
			if b != 0 {
				return false
			}
		}
		from += int64(n)
	}
	return true
}
