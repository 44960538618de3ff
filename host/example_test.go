package host_test

import (
	"context"
	"fmt"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/host"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

// A memory without a language model, a server or a key.
func Example() {
	ctx := context.Background()
	h, err := host.Open(ctx, host.Config{Set: hostfuncs.Set{Store: memory.New()}})
	if err != nil {
		panic(err)
	}
	defer h.Close()
	bank := h.Bank("ana")
	if _, err := bank.Add(ctx, core.InputSession{ID: "monday", Close: true, Turns: []core.InputTurn{
		{Speaker: "Ana", Time: "2026-05-04T09:00:00Z", Text: "I moved to Lisbon last week."},
	}}); err != nil {
		panic(err)
	}
	found, err := bank.Search(ctx, "Where does Ana live?")
	if err != nil {
		panic(err)
	}
	fmt.Println(found.Items[0].Text)
	// Output: I moved to Lisbon last week.
}
