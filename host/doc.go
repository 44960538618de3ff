// Package host runs leanmem inside a Go program. Ten lines are a memory:
//
//	h, err := host.Open(ctx, host.Config{Set: hostfuncs.Set{Store: memory.New()}})
//	if err != nil {
//		return err
//	}
//	defer h.Close()
//	bank := h.Bank("ana")
//	_, err = bank.Add(ctx, core.InputSession{ID: "monday", Close: true, Turns: []core.InputTurn{
//		{Speaker: "Ana", Time: "2026-05-04T09:00:00Z", Text: "I moved to Lisbon last week."},
//	}})
//	found, err := bank.Search(ctx, "Where does Ana live?")
//	fmt.Println(found.Text)
//
// The engine is either native Go or the plugin leanmem-step.wasm under wazero,
// with the same API, the same pool and the same bytes as result. Both are
// driven by the step protocol: an instance is held only while it computes and
// never while a model or a store is asked, so a few instances serve many calls.
//
// A Host is safe for concurrent use. It performs effects through the
// hostfuncs.Set that it was given and keeps nothing of a bank's data outside
// the instances' caches. Errors are *effect.Error.
package host
