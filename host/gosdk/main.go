// Command gosdk runs leanmem under the official Extism SDK for Go, with a store
// in memory and no model. It is an example to copy, and its tests are what keeps
// the plugin a plain Extism plugin that any SDK can run.
//
//	go run . path/to/leanmem.wasm
//	go run . path/to/leanmem-step.wasm
//
// Programs in Go do better with the package host: it keeps a pool of instances,
// calls the plugin at a fraction of the cost, or needs none.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	extism "github.com/extism/go-sdk"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gosdk path/to/leanmem.wasm")
		os.Exit(2)
	}
	if err := run(context.Background(), extism.WasmFile{Path: os.Args[1]}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run remembers a dialogue and asks about it.
func run(ctx context.Context, wasm extism.Wasm) error {
	set := hostfuncs.Set{Store: memory.New()}
	p, err := open(ctx, wasm, set.Dispatch)
	if err != nil {
		return err
	}
	defer p.close(ctx)
	i, err := p.instance(ctx)
	if err != nil {
		return err
	}
	defer i.Close(ctx)
	about := core.Call{ABI: core.ABI, Bank: "ana", Now: time.Now()}

	var added core.AddResult
	err = p.call(ctx, i, "add", core.AddRequest{Call: about, Sessions: []core.InputSession{{
		ID: "monday", Close: true, Turns: []core.InputTurn{
			{Speaker: "Ana", Time: "2026-05-04T09:00:00Z", Text: "I moved to Lisbon last week."},
			{Speaker: "Ben", Time: "2026-05-04T09:01:00Z", Text: "How exciting! What took you there?"},
			{Speaker: "Ana", Time: "2026-05-04T09:02:00Z", Text: "A new job at the aquarium."},
		},
	}}}, &added)
	if err != nil {
		return err
	}
	fmt.Printf("added %d turns\n", added.Added)

	var found core.SearchResult
	err = p.call(ctx, i, "search", core.SearchRequest{Call: about, Query: mem.Query{Text: "Where does Ana live?"}}, &found)
	if err != nil {
		return err
	}
	fmt.Println(found.Text)
	return nil
}

// call performs a verb, in either artefact.
func (p *plugin) call(ctx context.Context, i *extism.Plugin, verb string, request, result any) error {
	in, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	perform := block
	if i.FunctionExists("begin") {
		perform = p.step
	}
	out, err := perform(ctx, i, verb, in)
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	return json.Unmarshal(out, result)
}
