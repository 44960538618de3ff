// Command reference writes the calls of an evaluation on LoCoMo, and what the
// native engine answers: a host in another language makes the same calls and
// compares. It adds each conversation to a bank of its own and searches its
// questions.
//
//	go run ./host/internal/reference [-budget N] [-every N] FILE…
//
// Each line of its output is one call: {"verb", "request", "result"}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host"
	"github.com/leanmem/leanmem/host/dialogue"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

func main() {
	budget := flag.Int("budget", 2000, "tokens of evidence")
	every := flag.Int("every", 1, "take every Nth question")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	err := run(context.Background(), flag.Args(), *budget, max(1, *every), out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, files []string, budget, every int, w io.Writer) error {
	h, err := host.Open(ctx, host.Config{Set: hostfuncs.Set{Store: memory.New()}, Instances: 1})
	if err != nil {
		return err
	}
	defer h.Close()
	out := json.NewEncoder(w)
	call := func(verb string, request any) error {
		b, err := json.Marshal(request)
		if err != nil {
			return err
		}
		result, err := h.Call(ctx, verb, b)
		if err != nil {
			return fmt.Errorf("%s: %w", verb, err)
		}
		return out.Encode(struct {
			Verb    string          `json:"verb"`
			Request json.RawMessage `json:"request"`
			Result  json.RawMessage `json:"result"`
		}{verb, b, result})
	}
	for _, file := range files {
		if err := conversations(file, func(d *dialogue.History) error {
			about := core.Call{ABI: core.ABI, Bank: d.Name, Now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}
			if err := call("add", core.AddRequest{Call: about, Sessions: d.Sessions}); err != nil {
				return err
			}
			for i := 0; i < len(d.Questions); i += every {
				query := mem.Query{Text: d.Questions[i].Text, Budget: budget}
				if err := call("search", core.SearchRequest{Call: about, Query: query}); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func conversations(file string, use func(*dialogue.History) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	for d, err := range dialogue.Histories(f, dialogue.LoCoMo, dialogue.Options{}) {
		if err == nil {
			err = use(d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
