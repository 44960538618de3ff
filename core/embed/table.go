package embed

import (
	_ "embed"
	"fmt"
	"hash/crc32"
)

//go:embed table.bin
var file string

// The table's file, little endian:
//
//	"LMET" ‖ dims uint16 ‖ 0 uint16 ‖ beginnings uint32 ‖ continuations uint32 ‖ bytes of pieces uint32 ‖
//	CRC-32 (IEEE) of what follows ‖
//	offset of each piece uint32, one more for the end ‖ pieces ‖ scale of each row uint16 ‖ rows
//
// Pieces that begin a word come first, then those that continue one, each part
// in byte order. A row is dims signed 4-bit numbers (−7 … 7), the even ones in
// the low halves; the vector is scale × row.
const (
	// Name is what a bank remembers of its embedder.
	Name = "leanmem-static-v1"
	// Dims is the length of a vector.
	Dims = 64

	headerSize = 24
)

// layout gives where the parts of the file stand. It is computed from the
// header at each use: nothing is built at start-up.
type layout struct {
	beginnings, count       int
	offsets, pieces, scales int
	rows                    int
}

type tableFile struct{ layout }

var table = tableFile{layoutOf(file)}

func layoutOf(f string) layout {
	if len(f) < headerSize {
		return layout{}
	}
	l := layout{beginnings: u32(f, 8)}
	l.count = l.beginnings + u32(f, 12)
	l.offsets = headerSize
	l.pieces = l.offsets + 4*(l.count+1)
	l.scales = l.pieces + u32(f, 16)
	l.rows = l.scales + 2*l.count
	if l.rows+l.count*Dims/2 != len(f) {
		return layout{}
	}
	return l
}

func u32(f string, at int) int {
	return int(f[at]) | int(f[at+1])<<8 | int(f[at+2])<<16 | int(f[at+3])<<24
}

// Check tells whether the table is whole.
func Check() error { return check(file) }

func check(f string) error {
	if len(f) < headerSize || f[:4] != "LMET" {
		return fmt.Errorf("check embedding table: %d bytes do not begin as a table does", len(f))
	}
	if d := int(f[4]) | int(f[5])<<8; d != Dims {
		return fmt.Errorf("check embedding table: %d dimensions, this build reads %d", d, Dims)
	}
	if layoutOf(f).count == 0 {
		return fmt.Errorf("check embedding table: its parts do not add up to its %d bytes", len(f))
	}
	if want, got := uint32(u32(f, 20)), crc32.ChecksumIEEE([]byte(f[headerSize:])); want != got {
		return fmt.Errorf("check embedding table: checksum %08x, its header says %08x", got, want)
	}
	return nil
}

func (t *tableFile) piece(i int) string {
	return file[t.pieces+u32(file, t.offsets+4*i) : t.pieces+u32(file, t.offsets+4*i+4)]
}

// last gives the row of the last piece that is not after a text in byte order,
// -1 when there is none.
func (t *tableFile) last(text string, continues bool) int {
	first, hi := 0, t.beginnings
	if continues {
		first, hi = t.beginnings, t.count
	}
	lo := first
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if t.piece(mid) <= text {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == first {
		return -1
	}
	return lo - 1
}

// add adds a row to a sum.
func (t *tableFile) add(sum *[Dims]int64, row int) {
	scale := int64(file[t.scales+2*row]) | int64(file[t.scales+2*row+1])<<8
	packed := file[t.rows+row*Dims/2 : t.rows+(row+1)*Dims/2]
	for i := range Dims / 2 {
		b := int8(packed[i])
		sum[2*i] += scale * int64(b<<4>>4)
		sum[2*i+1] += scale * int64(b>>4)
	}
}
