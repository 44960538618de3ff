package main

import (
	"os"

	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/embed"
	"github.com/leanmem/leanmem/hostfuncs/llm"
)

// providers adds the language model and the embedder that the flags name. Keys
// come from the environment only, so that none stands in a list of processes or
// in a shell's history.
func (a *app) providers(set *hostfuncs.Set) error {
	if e := a.flags.llm; e.url != "" || e.model != "" {
		if e.model == "" {
			return usagef("--llm-url is given without --llm-model")
		}
		model, err := llm.New(llm.Options{BaseURL: e.url, Model: e.model, Key: os.Getenv(e.keyEnv)})
		if err != nil {
			return err
		}
		set.LLM = model
	}
	if e := a.flags.embed; e.url != "" || e.model != "" {
		if e.model == "" {
			return usagef("--embed-url is given without --embed-model")
		}
		embedder, err := embed.New(embed.Options{BaseURL: e.url, Model: e.model, Dimensions: e.dims, Key: os.Getenv(e.keyEnv)})
		if err != nil {
			return err
		}
		set.Embedder = embedder
	}
	return nil
}
