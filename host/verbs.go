package host

import (
	"context"
	"encoding/json"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
)

// do performs a typed request; c is the part of it that every request carries.
func do[R any](ctx context.Context, h *Host, verb string, c *core.Call, request any) (R, error) {
	var result R
	h.stamp(c)
	b, err := json.Marshal(request)
	if err != nil {
		return result, effect.Errorf(effect.InvalidArgument, "%s: encode request: %v", verb, err)
	}
	if len(b) > maxRequest {
		return result, tooLarge(verb, len(b))
	}
	out, err := h.serve(ctx, h.newCall(verb, c.Bank, b))
	if err != nil {
		return result, err
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return result, effect.Errorf(effect.Internal, "%s: decode result: %v", verb, err)
	}
	return result, nil
}

// Add stores turns and derives what is due.
func (h *Host) Add(ctx context.Context, r core.AddRequest) (core.AddResult, error) {
	return do[core.AddResult](ctx, h, "add", &r.Call, &r)
}

// Flush closes sessions and derives them.
func (h *Host) Flush(ctx context.Context, r core.FlushRequest) (core.AddResult, error) {
	return do[core.AddResult](ctx, h, "flush", &r.Call, &r)
}

// Search gives evidence for a question.
func (h *Host) Search(ctx context.Context, r core.SearchRequest) (core.SearchResult, error) {
	return do[core.SearchResult](ctx, h, "search", &r.Call, &r)
}

// Answer answers a question with its evidence.
func (h *Host) Answer(ctx context.Context, r core.AnswerRequest) (core.AnswerResult, error) {
	return do[core.AnswerResult](ctx, h, "answer", &r.Call, &r)
}

// Evolve consolidates the event buffer now.
func (h *Host) Evolve(ctx context.Context, r core.EvolveRequest) (core.EvolveResult, error) {
	return do[core.EvolveResult](ctx, h, "evolve", &r.Call, &r)
}

// List pages through a bank.
func (h *Host) List(ctx context.Context, r core.ListRequest) (core.ListResult, error) {
	return do[core.ListResult](ctx, h, "list", &r.Call, &r)
}

// Get reads entries by id.
func (h *Host) Get(ctx context.Context, r core.GetRequest) (core.GetResult, error) {
	return do[core.GetResult](ctx, h, "get", &r.Call, &r)
}

// Update corrects a memory.
func (h *Host) Update(ctx context.Context, r core.UpdateRequest) (core.UpdateResult, error) {
	return do[core.UpdateResult](ctx, h, "update", &r.Call, &r)
}

// Delete erases turns and memories with everything derived from them.
func (h *Host) Delete(ctx context.Context, r core.DeleteRequest) (core.DeleteResult, error) {
	return do[core.DeleteResult](ctx, h, "delete", &r.Call, &r)
}

// Restore lifts the marks of deleted turns.
func (h *Host) Restore(ctx context.Context, r core.RestoreRequest) (core.RestoreResult, error) {
	return do[core.RestoreResult](ctx, h, "restore", &r.Call, &r)
}

// History tells how a memory came to be what it is.
func (h *Host) History(ctx context.Context, r core.HistoryRequest) (core.HistoryResult, error) {
	return do[core.HistoryResult](ctx, h, "history", &r.Call, &r)
}

// Export reads a page of a bank in canonical order.
func (h *Host) Export(ctx context.Context, r core.ExportRequest) (core.ExportResult, error) {
	return do[core.ExportResult](ctx, h, "export", &r.Call, &r)
}

// Import writes lines of an export.
func (h *Host) Import(ctx context.Context, r core.ImportRequest) (core.ImportResult, error) {
	return do[core.ImportResult](ctx, h, "import", &r.Call, &r)
}

// Expire purges what has expired.
func (h *Host) Expire(ctx context.Context, r core.ExpireRequest) (core.ExpireResult, error) {
	return do[core.ExpireResult](ctx, h, "expire", &r.Call, &r)
}

// Reprocess derives memories anew from the stored turns.
func (h *Host) Reprocess(ctx context.Context, r core.ReprocessRequest) (core.AddResult, error) {
	return do[core.AddResult](ctx, h, "reprocess", &r.Call, &r)
}

// Reindex makes the vectors of a bank anew with the embedder of the options.
func (h *Host) Reindex(ctx context.Context, r core.ReindexRequest) (core.ReindexResult, error) {
	return do[core.ReindexResult](ctx, h, "reindex", &r.Call, &r)
}

// Stats describes the bank of the call.
func (h *Host) Stats(ctx context.Context, r core.Call) (core.StatsResult, error) {
	return do[core.StatsResult](ctx, h, "stats", &r, &r)
}

// Banks lists banks.
func (h *Host) Banks(ctx context.Context, r core.BanksRequest) (core.BanksResult, error) {
	return do[core.BanksResult](ctx, h, "banks", &r.Call, &r)
}

// Drop removes the bank of the call with all that it holds.
func (h *Host) Drop(ctx context.Context, r core.Call) (core.Outcome, error) {
	return do[core.Outcome](ctx, h, "drop", &r, &r)
}

// Version names what runs.
func (h *Host) Version(ctx context.Context) (core.VersionResult, error) {
	var r core.Call
	return do[core.VersionResult](ctx, h, "version", &r, &r)
}
