package transcript

import (
	"context"
	"strings"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
)

// world is what stands behind a transcript: a store in memory, an embedder
// of eight dimensions, and a model that says what the script has it say.
type world struct {
	store  hostfuncs.Set
	script []scriptLine
	seen   map[effect.Op]int
	out    *strings.Builder
}

func newWorld() *world {
	return &world{store: hostfuncs.Set{Store: memory.New()}}
}

// begin makes the world ready for a call.
func (w *world) begin(script []scriptLine) {
	w.script, w.seen, w.out = append([]scriptLine(nil), script...), map[effect.Op]int{}, &strings.Builder{}
}

// do answers one effect and writes both down.
func (w *world) do(r effect.Request) effect.Reply {
	writeRequest(w.out, r)
	reply := w.answer(r)
	writeReply(w.out, r, reply)
	return reply
}

func (w *world) answer(r effect.Request) effect.Reply {
	n := w.seen[r.Op]
	w.seen[r.Op]++
	for i, l := range w.script {
		if l.op == string(r.Op) && l.err != nil && l.after == n {
			w.script = append(w.script[:i:i], w.script[i+1:]...)
			return effect.Reply{Err: l.err}
		}
	}
	switch r.Op {
	case effect.OpComplete:
		var reply effect.Reply
		for _, p := range r.Prompts {
			reply.Completions = append(reply.Completions, w.complete(p))
		}
		return reply
	case effect.OpEmbed:
		return effect.Reply{Vectors: lengths(r.Texts)}
	}
	return w.store.Dispatch(context.Background(), r)
}

func (w *world) complete(p effect.Prompt) effect.Completion {
	for i, l := range w.script {
		if l.op != p.Stage {
			continue
		}
		w.script = append(w.script[:i:i], w.script[i+1:]...)
		if l.err != nil {
			return effect.Completion{Err: l.err}
		}
		if l.stop == "" {
			l.stop = "stop"
		}
		return effect.Completion{Text: l.text, Finish: l.stop}
	}
	return effect.Completion{Err: effect.Errorf(effect.ModelFailed, "the script has no reply for stage %s", p.Stage)}
}

// lengths points each text in the direction of its number of bytes modulo 8.
func lengths(texts []string) effect.Vectors {
	v := effect.Vectors{Model: "lengths", Dims: 8, Data: make([]float32, 8*len(texts))}
	for i, s := range texts {
		v.Data[8*i+len(s)%8] = 1
	}
	return v
}
