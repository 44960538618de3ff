package effect

import (
	"context"
)

// Client is the typed way to use a port for one bank.
type Client struct {
	Port Port
	Bank string
}

func (c Client) one(ctx context.Context, r Request) (Reply, error) {
	r.Bank = c.Bank
	replies, err := c.Port.Do(ctx, []Request{r})
	if err != nil {
		return Reply{}, err
	}
	if len(replies) != 1 {
		return Reply{}, Errorf(Internal, "%s: the host gave %d replies for 1 request", r.Op, len(replies))
	}
	if replies[0].Err != nil {
		return replies[0], replies[0].Err
	}
	return replies[0], nil
}

// Complete asks the language model. It returns one completion a prompt; a
// prompt that failed has its own Err.
func (c Client) Complete(ctx context.Context, prompts []Prompt) ([]Completion, error) {
	if len(prompts) == 0 {
		return nil, nil
	}
	r, err := c.one(ctx, Request{Op: OpComplete, Prompts: prompts})
	if err != nil {
		return nil, err
	}
	if len(r.Completions) != len(prompts) {
		return nil, Errorf(ModelFailed, "llm_complete: %d completions for %d prompts", len(r.Completions), len(prompts))
	}
	return r.Completions, nil
}

// Embed asks the embedder for one vector a text. purpose is "document" or
// "query".
func (c Client) Embed(ctx context.Context, texts []string, purpose string) (Vectors, error) {
	if len(texts) == 0 {
		return Vectors{}, nil
	}
	r, err := c.one(ctx, Request{Op: OpEmbed, Texts: texts, Purpose: purpose})
	if err != nil {
		return Vectors{}, err
	}
	v := r.Vectors
	if v.Dims <= 0 || len(v.Data) != v.Dims*len(texts) {
		return Vectors{}, Errorf(EmbedFailed, "embed: %d numbers of %d dimensions for %d texts", len(v.Data), v.Dims, len(texts))
	}
	for i, f := range v.Data {
		if f != f || f > 1e6 || f < -1e6 {
			return Vectors{}, Errorf(EmbedFailed, "embed: the vector of text %d holds a number that is not finite", i/v.Dims)
		}
	}
	return v, nil
}

// Tag asks the tagger for the entities of each text.
func (c Client) Tag(ctx context.Context, texts []string) ([][]Entity, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	r, err := c.one(ctx, Request{Op: OpTag, Texts: texts})
	if err != nil {
		return nil, err
	}
	if len(r.Entities) != len(texts) {
		return nil, Errorf(TagFailed, "tag: %d lists for %d texts", len(r.Entities), len(texts))
	}
	return r.Entities, nil
}

// Get reads keys and the bank's current version in one consistent view.
func (c Client) Get(ctx context.Context, keys ...[]byte) (values [][]byte, version string, err error) {
	r, err := c.one(ctx, Request{Op: OpGet, Keys: keys})
	if err != nil {
		return nil, "", err
	}
	if len(r.Values) != len(keys) {
		return nil, "", Errorf(StoreFailed, "store_get: %d values for %d keys", len(r.Values), len(keys))
	}
	return r.Values, r.Current, nil
}

// Scan reads a page of entries in key order.
func (c Client) Scan(ctx context.Context, prefix, after []byte, limit int) (entries []Entry, more bool, version string, err error) {
	r, err := c.one(ctx, Request{Op: OpScan, Prefix: prefix, After: after, Limit: limit})
	if err != nil {
		return nil, false, "", err
	}
	return r.Entries, r.More, r.Current, nil
}

// Commit writes all or nothing. ok is false on a conflict; current is then the
// version that stands.
func (c Client) Commit(ctx context.Context, expected, version string, writes []Write) (ok bool, current string, err error) {
	r, err := c.one(ctx, Request{Op: OpCommit, Expected: expected, Version: version, Writes: writes})
	if err != nil {
		return false, "", err
	}
	return !r.Conflict, r.Current, nil
}

// Banks lists bank names in byte order.
func (c Client) Banks(ctx context.Context, after string, limit int) (names []string, more bool, err error) {
	r, err := c.one(ctx, Request{Op: OpBanks, AfterBank: after, Limit: limit})
	if err != nil {
		return nil, false, err
	}
	return r.Banks, r.More, nil
}

// Progress tells the host how far the work has come, and lets it cancel.
func (c Client) Progress(ctx context.Context, stage string, done, total int) error {
	_, err := c.one(ctx, Request{Op: OpProgress, Progress: Progress{Stage: stage, Done: done, Total: total}})
	return err
}
