package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/embed"
	"github.com/leanmem/leanmem/hostfuncs/llm"
	"github.com/leanmem/leanmem/hostfuncs/llm/cassette"
	"github.com/leanmem/leanmem/hostfuncs/llm/spool"
	"github.com/leanmem/leanmem/hostfuncs/tag"
)

// providers adds the language model, the embedder and the tagger that the
// flags name. Keys come from the environment only, so that none stands in a
// list of processes or in a shell's history.
func (a *app) providers(set *hostfuncs.Set) error {
	if err := a.model(set); err != nil {
		return err
	}
	if e := a.flags.embed; e.url != "" || e.model != "" {
		if e.model == "" {
			return usagef("--embed-url is given without --embed-model")
		}
		embedder, err := embed.New(embed.Options{BaseURL: e.url, Model: e.model, Dimensions: e.dims, Key: os.Getenv(e.keyEnv)})
		if err != nil {
			return usagef("--embed-url: %s", effect.AsError(err).Message)
		}
		set.Embedder = embedder
	}
	return a.tagger(set)
}

// model sets the language model: a server's, a cassette's, or a server's whose
// replies go into a cassette.
func (a *app) model(set *hostfuncs.Set) error {
	e := a.flags.llm
	switch {
	case a.flags.replay != "" && a.flags.record != "":
		return usagef("--record and --replay exclude each other")
	case a.flags.replay != "":
		player, err := cassette.Replay(a.flags.replay)
		if err != nil {
			return err
		}
		set.LLM, a.player = player, player
		return nil
	case e.url == "" && e.model == "":
		if a.flags.record != "" {
			return usagef("--record needs a language model: --llm-url and --llm-model")
		}
		return nil
	case e.model == "":
		return usagef("--llm-url is given without --llm-model")
	}
	model, err := a.chat(e.url, e.model, set)
	if err != nil {
		return usagef("--llm-url: %s", effect.AsError(err).Message)
	}
	if path := a.spoolPath(); path != "" {
		if a.spool, err = spool.Wrap(model, path); err != nil {
			return err
		}
		model = a.spool
	}
	if set.LLM = model; a.flags.record != "" && a.recorder == nil {
		if a.recorder, err = cassette.Record(model, a.flags.record); err != nil {
			return err
		}
	}
	if a.recorder != nil {
		set.LLM = a.recorder
	}
	return nil
}

// chat is a model behind OpenAI's interface. The host's own deadline of a
// prompt is set behind the attempt's, or it would cut a slow local model off
// while its prompts wait for each other.
func (a *app) chat(url, name string, set *hostfuncs.Set) (hostfuncs.LLM, error) {
	e := a.flags.llm
	o := llm.Options{BaseURL: url, Model: name, Key: os.Getenv(e.keyEnv), Timeout: e.timeout, Concurrency: e.parallel, MaxRetries: e.retries}
	if e.retries == 0 {
		o.MaxRetries = -1
	}
	if e.timeout > 0 {
		const queue = 8 // prompts of one request, which may wait for each other
		set.PromptTimeout = queue*e.timeout + time.Minute
	}
	set.Prompts = e.parallel
	return llm.New(o)
}

// tagger sets what names the entities of records: a server of its own
// interface, or a chat model.
func (a *app) tagger(set *hostfuncs.Set) error {
	f := a.flags.tag
	switch {
	case f.model != "":
		url := f.url
		if url == "" {
			url = a.flags.llm.url
		}
		model, err := a.chat(url, f.model, set)
		if err != nil {
			return usagef("--tag-url: %s", effect.AsError(err).Message)
		}
		if a.player != nil {
			model = a.player
		} else if a.recorder != nil {
			model = a.recorder.With(model)
		}
		a.tags = tag.ByModel(model)
		set.Tagger = a.tags
	case f.url != "":
		tagger, err := tag.New(tag.Options{URL: f.url, Key: os.Getenv(f.keyEnv), Labels: a.flags.tagLabels})
		if err != nil {
			return usagef("--tag-url: %s", effect.AsError(err).Message)
		}
		set.Tagger = tagger
	}
	return nil
}

// spoolPath is the file beside the store for replies that have arrived and are
// not stored yet, one for each server and model; "" where there is no file, or
// where nothing is stored.
func (a *app) spoolPath() string {
	kind, path, _ := strings.Cut(a.flags.store, ":")
	if a.store == nil || kind != "buntdb" || a.readOnly {
		return ""
	}
	h := sha256.Sum256([]byte(a.flags.llm.url + "\x00" + a.flags.llm.model))
	return path + "." + hex.EncodeToString(h[:4]) + ".replies"
}

// unload puts the cassette that was recorded in order, and drops the replies
// beside the store once they are in it, or once what they tell of was deleted.
func (a *app) unload(well bool) error {
	var err error
	if a.recorder != nil {
		err = a.recorder.Close()
		a.recorder = nil
	}
	verb := a.command[strings.LastIndexByte(a.command, ' ')+1:]
	if a.spool != nil {
		err = errors.Join(err, a.spool.Close(well && slices.Contains([]string{"add", "flush", "reprocess", "evolve"}, verb)))
		a.spool = nil
	}
	if path := a.spoolPath(); well && path != "" && (verb == "delete" || verb == "drop") {
		kept, _ := filepath.Glob(path[:len(path)-len("00000000.replies")] + "*.replies")
		for _, k := range kept {
			err = errors.Join(err, spool.Remove(k))
		}
	}
	return err
}
