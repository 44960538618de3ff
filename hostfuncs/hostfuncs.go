package hostfuncs

import (
	"context"

	"github.com/leanmem/leanmem/core/effect"
)

// LLM completes one prompt. The prompts of one request are performed in
// parallel, so Complete must be safe for concurrent use. An error may come with
// a completion that holds the tokens already spent.
type LLM interface {
	Complete(ctx context.Context, p effect.Prompt) (effect.Completion, error)
}

// Embedder gives one vector of unit length for each text. purpose is "document"
// or "query".
type Embedder interface {
	Embed(ctx context.Context, texts []string, purpose string) (effect.Vectors, error)
}

// Tagger gives the entities of each text.
type Tagger interface {
	Tag(ctx context.Context, texts []string) ([][]effect.Entity, error)
}

// Store keeps banks: ordered maps of binary keys to binary values, each with a
// version. It is safe for concurrent use. Slices that it is given are not
// modified or kept, and slices that it returns belong to the caller. Names and
// keys are compared byte by byte. Every method checks the limits of this
// package (limits.go); errors are *effect.Error.
type Store interface {
	// Get reads keys and the version of the bank in one consistent view. A key
	// that is absent has a nil value, an empty value is empty and not nil. A
	// bank that does not exist has version "" and no keys.
	Get(ctx context.Context, bank string, keys [][]byte) (values [][]byte, version string, err error)

	// Scan reads a page of the entries whose key has the prefix and is greater
	// than after, in key order. limit 0 means MaxPage. A page may be shorter
	// than limit, but not empty while more is true.
	Scan(ctx context.Context, bank string, prefix, after []byte, limit int) (page Page, err error)

	// Commit makes all writes and sets the version, or changes nothing. It
	// takes place only if expected is the bank's version; otherwise ok is false
	// and current is the version that stands. expected "" creates the bank.
	// version "" (with no writes) removes the bank. A commit that returned ok is
	// as durable as the store can make it; one that returned an error may have
	// taken place only if the error is retryable and the version now reads as
	// the new one.
	//
	// Values of deleted keys are erased from what the store keeps; an
	// overwritten value may linger until the store compacts.
	Commit(ctx context.Context, bank, expected, version string, writes []effect.Write) (ok bool, current string, err error)

	// Banks lists the names of banks greater than after, in byte order.
	Banks(ctx context.Context, after string, limit int) (names []string, more bool, err error)

	// DropBank removes a bank whatever its version; an absent one is no error.
	// It is the host's and not reachable through the port.
	DropBank(ctx context.Context, bank string) error

	// RenameBank keeps entries and version under another name, atomically. It
	// fails with bank_not_found or bank_exists. It is the host's, too.
	RenameBank(ctx context.Context, from, to string) error

	Close() error
}

// Page is one answer of a scan.
type Page struct {
	Entries []effect.Entry
	More    bool   // there are further entries after the last one
	Version string // of the bank, in the same consistent view
}

// Compacter is implemented by stores whose files hold more than what is live.
// After Compact, no deleted or overwritten value, key or bank name is left.
type Compacter interface {
	Compact(ctx context.Context) error
}

type deltaKey struct{}

// WithDelta returns a context under which a provider that can stream shows the
// text of each prompt with Stream set as it arrives. show may be called from
// several goroutines, one for each prompt.
func WithDelta(ctx context.Context, show func(p effect.Prompt, text string)) context.Context {
	return context.WithValue(ctx, deltaKey{}, show)
}

// Delta returns what WithDelta set, or nil.
func Delta(ctx context.Context) func(p effect.Prompt, text string) {
	show, _ := ctx.Value(deltaKey{}).(func(p effect.Prompt, text string))
	return show
}
