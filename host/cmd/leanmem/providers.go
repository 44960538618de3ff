package main

import (
	"os"

	"github.com/leanmem/leanmem/hostfuncs"
)

// providers adds the language model and the embedder that the flags name.
func (a *app) providers(set *hostfuncs.Set) error {
	if a.flags.llm.url != "" || a.flags.llm.model != "" {
		if a.flags.llm.model == "" {
			return usagef("--llm-url is given without --llm-model")
		}
	}
	if a.flags.embed.url != "" && a.flags.embed.model == "" {
		return usagef("--embed-url is given without --embed-model")
	}
	_ = os.Getenv(a.flags.llm.keyEnv)
	return nil
}
