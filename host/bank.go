package host

import (
	"context"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/mem"
)

// Bank is a host bound to one bank: the short way to the verbs of every day.
// Its methods take the host's options and clock; for anything else call the
// host with a whole request.
type Bank struct {
	host *Host
	name string
}

// Bank binds the host to a bank, which need not exist: the first add makes it.
func (h *Host) Bank(name string) Bank { return Bank{h, name} }

// Name is the bank's name.
func (b Bank) Name() string { return b.name }

func (b Bank) call() core.Call { return core.Call{Bank: b.name} }

// Add stores turns and derives what is due.
func (b Bank) Add(ctx context.Context, sessions ...core.InputSession) (core.AddResult, error) {
	return b.host.Add(ctx, core.AddRequest{Call: b.call(), Sessions: sessions})
}

// Flush closes the named sessions, or all, and derives them.
func (b Bank) Flush(ctx context.Context, sessions ...string) (core.AddResult, error) {
	return b.host.Flush(ctx, core.FlushRequest{Call: b.call(), Sessions: sessions})
}

// Search gives evidence for a question; its Text goes into a prompt as it is.
func (b Bank) Search(ctx context.Context, question string) (core.SearchResult, error) {
	return b.host.Search(ctx, core.SearchRequest{Call: b.call(), Query: mem.Query{Text: question}})
}

// Answer answers a question.
func (b Bank) Answer(ctx context.Context, question string) (core.AnswerResult, error) {
	return b.host.Answer(ctx, core.AnswerRequest{Call: b.call(), Query: mem.Query{Text: question}})
}

// List gives the first page of what matches.
func (b Bank) List(ctx context.Context, filter mem.Filter) (core.ListResult, error) {
	return b.host.List(ctx, core.ListRequest{Call: b.call(), Filter: filter})
}

// Delete erases what matches, with everything derived from it.
func (b Bank) Delete(ctx context.Context, filter mem.Filter) (core.DeleteResult, error) {
	return b.host.Delete(ctx, core.DeleteRequest{Call: b.call(), Filter: filter})
}

// Stats describes the bank.
func (b Bank) Stats(ctx context.Context) (core.StatsResult, error) {
	return b.host.Stats(ctx, b.call())
}

// Drop removes the bank with all that it holds.
func (b Bank) Drop(ctx context.Context) (core.Outcome, error) {
	return b.host.Drop(ctx, b.call())
}
