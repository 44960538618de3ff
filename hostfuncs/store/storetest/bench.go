package storetest

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// Bench measures commits as the core makes them (a 4 KB block, a small
// manifest), alone and from eight writers on banks of their own, and reads.
func Bench(b *testing.B, open func(t testing.TB) hostfuncs.Store) {
	block, manifest := make([]byte, 4<<10), make([]byte, 512)
	for i := range block {
		block[i] = byte(i * 31)
	}
	writes := func(i int) []effect.Write {
		return []effect.Write{{Key: fmt.Appendf(nil, "block/%09d", i), Value: block}, {Key: []byte("manifest"), Value: manifest}}
	}
	b.Run("Commit", func(b *testing.B) {
		s := open(b)
		for i := 0; b.Loop(); i++ {
			mustCommit(b, s, "bank", versionOf(i), versionOf(i+1), writes(i)...)
		}
	})
	b.Run("Commit8Writers", func(b *testing.B) {
		s := open(b)
		var writer atomic.Int64
		b.SetParallelism(4)
		b.RunParallel(func(pb *testing.PB) {
			name := fmt.Sprintf("bank%d", writer.Add(1))
			for i := 0; pb.Next(); i++ {
				mustCommit(b, s, name, versionOf(i), versionOf(i+1), writes(i)...)
			}
		})
	})
	b.Run("Get", func(b *testing.B) {
		s := open(b)
		for i := range 100 {
			mustCommit(b, s, "bank", versionOf(i), versionOf(i+1), writes(i)...)
		}
		for i := 0; b.Loop(); i++ {
			if _, _, err := s.Get(ctx, "bank", keysOf("manifest", fmt.Sprintf("block/%09d", i%100))); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Growth measures a commit of a 4 KB block in a bank that already holds so many
// blocks: the cost must not depend on that.
func Growth(b *testing.B, open func(t testing.TB) hostfuncs.Store) {
	block := make([]byte, 4<<10)
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := open(b)
			i := 0
			for ; i*100 < n; i++ {
				var writes []effect.Write
				for k := range 100 {
					writes = append(writes, effect.Write{Key: fmt.Appendf(nil, "block/%d/%d", i, k), Value: block})
				}
				mustCommit(b, s, "bank", versionOf(i), versionOf(i+1), writes...)
			}
			for ; b.Loop(); i++ {
				mustCommit(b, s, "bank", versionOf(i), versionOf(i+1),
					effect.Write{Key: fmt.Appendf(nil, "new/%d", i), Value: block}, effect.Write{Key: []byte("manifest"), Value: block[:512]})
			}
		})
	}
}
