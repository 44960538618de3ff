package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/leanmem/leanmem/hostfuncs"
)

// Load lets writers append to lists until check is called, while the test does
// to the server what it likes. check verifies that every acknowledged append is
// there once, in its writer's order, and nothing else.
func Load(t *testing.T, s hostfuncs.Store, writers int) (check func()) {
	stop := make(chan struct{})
	acked := make([]int, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := appendOnce(s, fmt.Sprintf("bank%d", w%2), fmt.Sprintf("%d.%d", w, i)); err != nil {
					t.Errorf("writer %d, append %d: %v", w, i, err)
					return
				}
				acked[w] = i + 1
			}
		})
	}
	return func() {
		t.Helper()
		close(stop)
		wg.Wait()
		total := 0
		for b := range 2 {
			values, version, err := s.Get(ctx, fmt.Sprintf("bank%d", b), keysOf("list", "last"))
			if err != nil {
				t.Fatal(err)
			}
			items := strings.Fields(string(values[0]))
			if len(items) > 0 && (string(values[1]) != items[len(items)-1] || !strings.HasPrefix(version, items[len(items)-1]+"#")) {
				t.Errorf("bank%d at %s ends with %s, its last key says %s", b, version, items[len(items)-1], values[1])
			}
			total += len(items)
			for w := b; w < writers; w += 2 {
				var want []string
				for i := range acked[w] {
					want = append(want, fmt.Sprintf("%d.%d", w, i))
				}
				got := slices.DeleteFunc(slices.Clone(items), func(it string) bool { return !strings.HasPrefix(it, fmt.Sprint(w, ".")) })
				if !slices.Equal(got, want) {
					t.Errorf("writer %d: %d appends are there, %d were acknowledged", w, len(got), len(want))
				}
			}
		}
		t.Logf("%d appends", total)
	}
}
