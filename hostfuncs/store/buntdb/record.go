package buntdb

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/store/internal/view"
)

// A file begins with the SET of headerKey, whose value names the format and a
// random salt, and a copy of it under copyKey, since without the salt nothing
// else could be verified. Every further command is the SET of one record:
//
//	key    "c" and the record's number, 16 hexadecimal digits, rising
//	value  "LMC1" ‖ CRC-32C of salt, number and frame ‖ length of the frame ‖
//	       frame ‖ the values of all writes, one after another
//
// The frame names bank, versions, keys and the length and CRC-32C of each
// value. The values have checksums of their own so that one can be erased in
// place. The salt keeps a memory whose text imitates a record from ever being
// taken for one when a damaged file is searched for sound commits.

const (
	headerKey    = "leanmem"
	copyKey      = "leanmem copy"
	headerPrefix = "leanmem store "
	format       = 1
	magic        = "LMC1"
	envelope     = len(magic) + 8
	keyLen       = 17
)

// intro is how the command of every record begins.
const intro = "*3\r\n$3\r\nset\r\n$17\r\nc"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type salt [16]byte

type kind byte

const (
	kindCommit kind = 1
	kindRemove kind = 2 // of the whole bank
	kindRename kind = 3 // to is the new name
	kindBase   kind = 4 // a part of a bank's entries, written by compaction
)

// record is one decoded record; its values are not part of it.
type record struct {
	kind     kind
	bank     string
	expected string
	version  string
	to       string
	part     uint64 // of parts: kindBase
	parts    uint64
	writes   []write
}

type write struct {
	key  string
	del  bool
	size int
	sum  uint32
	at   int // of the value, in the record
}

// headerLen is the length of the value of headerKey.
const headerLen = len(headerPrefix) + 1 + 1 + 32 + 1 + 16

// copyAt is where the copy of the header begins.
var copyAt = int64(len(commandHead(len(headerKey), headerKey, headerLen)) + headerLen + 2)

// header gives the commands that begin a file in which compaction wrote the
// first base records, and its salt.
func header(base uint64) (string, salt) {
	var s salt
	rand.Read(s[:]) // never fails
	value := fmt.Sprintf("%s%d %x %016x", headerPrefix, format, s[:], base)
	return command(headerKey, value) + command(copyKey, value), s
}

// parseHeader reads the value of headerKey.
func parseHeader(value string) (s salt, base uint64, err error) {
	rest, ok := strings.CutPrefix(value, headerPrefix)
	if !ok {
		return s, 0, errors.New("it is not a leanmem store")
	}
	fields := strings.Split(rest, " ")
	n, err := strconv.Atoi(fields[0])
	if err == nil && n > format {
		return s, 0, effect.Errorf(effect.FormatTooNew, "it has format %d; this release reads up to %d", n, format)
	}
	if err != nil || n < 1 || len(fields) != 3 || len(fields[1]) != 2*len(s) {
		return s, 0, errors.New("its header is damaged")
	}
	if _, err := hex.Decode(s[:], []byte(fields[1])); err != nil {
		return s, 0, errors.New("its header is damaged")
	}
	if base, err = strconv.ParseUint(fields[2], 16, 64); err != nil {
		return s, 0, errors.New("its header is damaged")
	}
	return s, base, nil
}

func recordKey(seq uint64) string { return fmt.Sprintf("c%016x", seq) }

// command is the SET of a key as buntdb writes it.
func command(key, value string) string {
	return commandHead(len(key), key, len(value)) + value + "\r\n"
}

func commandHead(keyLen int, key string, size int) string {
	return "*3\r\n$3\r\nset\r\n$" + strconv.Itoa(keyLen) + "\r\n" + key + "\r\n$" + strconv.Itoa(size) + "\r\n"
}

func (s salt) sum(seq uint64, frame []byte) uint32 {
	var head [24]byte
	copy(head[:], s[:])
	binary.LittleEndian.PutUint64(head[16:], seq)
	return crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, frame)
}

// encode gives the value of a record, and sets in writes the place of each
// value: Value points into the record, At counts from its beginning.
func encode(s salt, seq uint64, r record, writes []view.Write) string {
	frame := []byte{byte(r.kind)}
	for _, t := range []string{r.bank, r.expected, r.version, r.to} {
		frame = appendString(frame, t)
	}
	frame = binary.AppendUvarint(frame, r.part)
	frame = binary.AppendUvarint(frame, r.parts)
	frame = binary.AppendUvarint(frame, uint64(len(writes)))
	size := 0
	for _, w := range writes {
		frame = appendString(frame, w.Key)
		if w.Delete {
			frame = append(frame, 1)
			continue
		}
		frame = append(frame, 0)
		frame = binary.AppendUvarint(frame, uint64(len(w.Item.Value)))
		frame = binary.LittleEndian.AppendUint32(frame, checksum(w.Item.Value))
		size += len(w.Item.Value)
	}
	var b strings.Builder
	b.Grow(envelope + len(frame) + size)
	b.WriteString(magic)
	var head [8]byte
	binary.LittleEndian.PutUint32(head[:4], s.sum(seq, frame))
	binary.LittleEndian.PutUint32(head[4:], uint32(len(frame)))
	b.Write(head[:])
	b.Write(frame)
	at := b.Len()
	for _, w := range writes {
		b.WriteString(w.Item.Value)
	}
	value := b.String()
	for i, w := range writes {
		n := len(w.Item.Value)
		writes[i].Item = view.Item{Value: value[at : at+n], At: int64(at)}
		at += n
	}
	return value
}

func checksum(s string) uint32 {
	// In pieces, so that the copy that the conversion makes stays small.
	var sum uint32
	var piece [8 << 10]byte
	for len(s) > 0 {
		n := copy(piece[:], s)
		sum = crc32.Update(sum, castagnoli, piece[:n])
		s = s[n:]
	}
	return sum
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decode reads a record and verifies its frame, not its values.
func decode(s salt, seq uint64, value string) (record, error) {
	if len(value) < envelope || value[:len(magic)] != magic {
		return record{}, errors.New("a record does not begin as one")
	}
	head := []byte(value[len(magic):envelope])
	n := int64(binary.LittleEndian.Uint32(head[4:]))
	if n > int64(len(value)-envelope) {
		return record{}, errors.New("a record is shorter than its frame")
	}
	frame := []byte(value[envelope : envelope+int(n)])
	if s.sum(seq, frame) != binary.LittleEndian.Uint32(head) {
		return record{}, errors.New("the checksum of a record does not match")
	}
	d := decoder{r: bytes.NewReader(frame), at: envelope + int(n)}
	r := d.record()
	if d.err != nil || d.r.Len() != 0 || d.at != len(value) {
		return record{}, errors.New("the frame of a record is malformed")
	}
	return r, nil
}

type decoder struct {
	r   *bytes.Reader
	at  int
	err error
}

func (d *decoder) record() (r record) {
	r.kind = kind(d.byte())
	r.bank, r.expected, r.version, r.to = d.string(), d.string(), d.string(), d.string()
	r.part, r.parts = d.number(), d.number()
	n := d.number()
	if n > uint64(d.r.Len()) {
		d.err = errors.New("too many writes")
	}
	for i := uint64(0); i < n && d.err == nil; i++ {
		w := write{key: d.string(), del: d.byte() == 1, at: d.at}
		if !w.del {
			w.size = int(d.number())
			var sum [4]byte
			if _, err := d.r.Read(sum[:]); err != nil || w.size < 0 {
				d.err = errors.New("no checksum")
			}
			w.sum = binary.LittleEndian.Uint32(sum[:])
			d.at += w.size
		}
		r.writes = append(r.writes, w)
	}
	return r
}

func (d *decoder) byte() byte {
	b, err := d.r.ReadByte()
	if err != nil {
		d.err = err
	}
	return b
}

func (d *decoder) number() uint64 {
	n, err := binary.ReadUvarint(d.r)
	if err != nil {
		d.err = err
	}
	return n
}

func (d *decoder) string() string {
	n := d.number()
	if n > uint64(d.r.Len()) {
		d.err = errors.New("a string leaves the frame")
		return ""
	}
	b := make([]byte, n)
	d.r.Read(b)
	return string(b)
}
