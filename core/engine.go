package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/embed"
	"github.com/leanmem/leanmem/core/mem"
)

// maxBankName is the longest bank name, in bytes.
const maxBankName = 256

// Engine performs verbs. It holds the snapshot cache of one instance and is,
// like an instance, used by one goroutine at a time; several flows may
// interleave in it.
type Engine struct {
	strategies []Strategy
	cache      *bank.Cache
	verbs      map[string]verb
}

// verb is one entry of the engine's table: JSON in, a result to marshal out.
type verb func(ctx context.Context, port effect.Port, request []byte) (any, error)

// NewEngine makes an engine. The first strategy is the default. cacheBytes
// caps the snapshots it keeps; 0: the default of the bank's cache.
func NewEngine(cacheBytes int, strategies ...Strategy) *Engine {
	e := &Engine{strategies: strategies, cache: bank.NewCache(cacheBytes, bank.WithEmbedder(builtIn, embed.Text), bank.WithWords(embed.Name, embed.Word))}
	e.verbs = map[string]verb{
		"add":       handle(e, e.add, func(q *AddRequest) *Call { return &q.Call }),
		"flush":     handle(e, e.flush, func(q *FlushRequest) *Call { return &q.Call }),
		"search":    handle(e, e.search, func(q *SearchRequest) *Call { return &q.Call }),
		"answer":    handle(e, e.answer, func(q *AnswerRequest) *Call { return &q.Call }),
		"evolve":    handle(e, e.evolve, func(q *EvolveRequest) *Call { return &q.Call }),
		"list":      handle(e, e.list, func(q *ListRequest) *Call { return &q.Call }),
		"get":       handle(e, e.get, func(q *GetRequest) *Call { return &q.Call }),
		"update":    handle(e, e.update, func(q *UpdateRequest) *Call { return &q.Call }),
		"delete":    handle(e, e.delete, func(q *DeleteRequest) *Call { return &q.Call }),
		"restore":   handle(e, e.restore, func(q *RestoreRequest) *Call { return &q.Call }),
		"history":   handle(e, e.history, func(q *HistoryRequest) *Call { return &q.Call }),
		"export":    handle(e, e.export, func(q *ExportRequest) *Call { return &q.Call }),
		"import":    handle(e, e.imports, func(q *ImportRequest) *Call { return &q.Call }),
		"expire":    handle(e, e.expire, func(q *ExpireRequest) *Call { return &q.Call }),
		"reprocess": handle(e, e.reprocess, func(q *ReprocessRequest) *Call { return &q.Call }),
		"reindex":   handle(e, e.reindex, func(q *ReindexRequest) *Call { return &q.Call }),
		"stats":     handle(e, e.stats, func(c *Call) *Call { return c }),
		"drop":      handle(e, e.drop, func(c *Call) *Call { return c }),
		"banks":     e.banks,
		"version":   e.version,
	}
	return e
}

// Call performs one verb: a request as JSON in, a result as JSON out. Every
// error is an *effect.Error; a fault of the core's own is reported as
// effect.Internal rather than as a trap.
func (e *Engine) Call(ctx context.Context, port effect.Port, name string, request []byte) (result json.RawMessage, err error) {
	defer func() {
		if r := recover(); r != nil {
			if exit, ok := r.(error); ok && errors.Is(exit, effect.ErrUnwind) {
				panic(r)
			}
			result, err = nil, effect.Errorf(effect.Internal, "%s: internal fault: %v", name, faultKind(r))
		}
	}()
	v, ok := e.verbs[name]
	if !ok {
		return nil, effect.Errorf(effect.UnknownVerb, "call %.40q: not a verb; verbs are %v", name, Verbs)
	}
	out, err := v(ctx, port, request)
	if err != nil {
		if ctx.Err() != nil && !effect.HasCode(err, effect.Canceled) {
			return nil, effect.Errorf(effect.Canceled, "%s: cancelled", name)
		}
		return nil, effect.AsError(fmt.Errorf("%s: %w", name, err))
	}
	b, err := encode(out)
	if err != nil {
		return nil, effect.Errorf(effect.Internal, "%s: encode result: %v", name, err)
	}
	return b, nil
}

// faultKind names a panic without its values: a value may hold a user's text.
func faultKind(r any) string {
	if re, ok := r.(interface{ RuntimeError() }); ok {
		return fmt.Sprint(re)
	}
	return fmt.Sprintf("%T", r)
}

// opened is a verb's bank with the run it belongs to.
type opened struct {
	*bank.Handle
	run      *mem.Run
	strategy Strategy
	call     *Call
	host     bank.Embedder // the host's, once it gave a vector
	reopen   bool          // a closed session goes on although its closed part could not be settled
}

// handle adapts a typed verb to the table: it decodes, checks what every
// request carries, which of gives, and opens the bank.
func handle[Q, R any](e *Engine, f func(context.Context, *opened, *Q) (*R, error), of func(*Q) *Call) verb {
	return func(ctx context.Context, port effect.Port, request []byte) (any, error) {
		q := new(Q)
		o, err := e.begin(ctx, port, request, q, of(q))
		if err != nil {
			return nil, err
		}
		return f(ctx, o, q)
	}
}

// begin decodes a request into q, of which call is a part, and opens its bank.
func (e *Engine) begin(ctx context.Context, port effect.Port, request []byte, q any, call *Call) (*opened, error) {
	if err := decodeCall(request, q, call); err != nil {
		return nil, err
	}
	if call.Bank == "" {
		return nil, effect.Errorf(effect.InvalidArgument, "no bank is named")
	}
	if call.Now.IsZero() {
		return nil, effect.Errorf(effect.InvalidArgument, "now is missing: core has no clock, every request carries the caller's")
	}
	return e.open(ctx, port, call)
}

// selects checks a bank and a filter by which entries of it are chosen.
func (o *opened) selects(f *mem.Filter) error {
	if err := o.exists(); err != nil {
		return err
	}
	return checkKinds(f)
}

// checkKinds refuses a kind that there is not: a filter by it would leave nothing
// and look like an empty bank.
func checkKinds(f *mem.Filter) error {
	for _, k := range f.Kinds {
		if !slices.Contains(mem.Kinds, k) {
			return effect.Errorf(effect.InvalidArgument, "filter: kind %.40q is none of profile, event, record, turn", k)
		}
	}
	return nil
}

// decodeCall reads a request into q and checks what every request carries,
// which is c, a part of q.
func decodeCall(request []byte, q any, c *Call) error {
	if !utf8.Valid(request) {
		return effect.Errorf(effect.InvalidArgument, "decode request: not valid UTF-8")
	}
	if err := json.Unmarshal(request, q); err != nil {
		return undecodable(err)
	}
	if _, ok := q.(*DeleteRequest); ok {
		if name := unknownIn(request); name != "" {
			return effect.Errorf(effect.InvalidArgument, "decode request: the field %.40q is not known; passed over, it could let more be erased", name)
		}
	}
	if err := checkABI(c.ABI); err != nil {
		return err
	}
	if len(c.Bank) > maxBankName {
		return effect.Errorf(effect.TooLarge, "bank name of %d bytes: the limit is %d", len(c.Bank), maxBankName)
	}
	return nil
}

// unknownIn names a field of a delete that this release does not know, "" for
// none. Elsewhere such a field is passed over; here it may be a restriction.
func unknownIn(object []byte) (name string) {
	const known = " abi bank now options dry_run filter ids kinds subjects speakers sessions about after before labels "
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(object, &fields) // was decoded before
	for field := range fields {
		if !strings.Contains(known, " "+field+" ") {
			name = max(name, field)
		}
	}
	if filter := fields["filter"]; name == "" && filter != nil {
		return unknownIn(filter)
	}
	return name
}

// undecodable says what of a request could not be decoded, without its values.
func undecodable(err error) error {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		kind, _, _ := strings.Cut(te.Value, " ") // of a number its value follows
		if te.Field == "" {
			return effect.Errorf(effect.InvalidArgument, "decode request: it is a JSON %s; expected an object", kind)
		}
		return effect.Errorf(effect.InvalidArgument, "decode request: field %q cannot be a JSON %s", fieldOf(te), kind)
	}
	var se *json.SyntaxError
	if errors.As(err, &se) {
		return effect.Errorf(effect.InvalidJSON, "decode request: not JSON at byte %d: %v", se.Offset, err)
	}
	return effect.Errorf(effect.InvalidArgument, "decode request: a time is not of the form 2023-05-08T13:56:00Z")
}

// fieldOf is the path of a field as a request has it: Go puts the names of
// embedded structs in between.
func fieldOf(e *json.UnmarshalTypeError) string {
	path := slices.DeleteFunc(strings.Split(e.Field, "."), func(name string) bool {
		return name != "" && unicode.IsUpper(rune(name[0]))
	})
	return strings.Join(path, ".")
}

// checkABI accepts this major version with any minor one.
func checkABI(abi string) error {
	if abi == "" {
		return nil
	}
	major, minor, _ := strings.Cut(abi, ".")
	_, badMajor := strconv.ParseUint(major, 10, 16)
	_, badMinor := strconv.ParseUint(minor, 10, 16)
	if badMajor != nil || badMinor != nil {
		return effect.Errorf(effect.InvalidArgument, "abi %.20q is not of the form MAJOR.MINOR", abi)
	}
	if ours, _, _ := strings.Cut(ABI, "."); major != ours {
		return effect.Errorf(effect.UnsupportedABI, "abi %s is asked for, this build speaks %s", abi, ABI)
	}
	return nil
}

// strategyOf finds the strategy that the options name.
func (e *Engine) strategyOf(o mem.Options) (Strategy, error) {
	if o.Strategy == "" && len(e.strategies) > 0 {
		return e.strategies[0], nil
	}
	var names []string
	for _, s := range e.strategies {
		if s.Name() == o.Strategy {
			return s, nil
		}
		names = append(names, s.Name())
	}
	return nil, effect.Errorf(effect.InvalidArgument, "strategy %.40q is not built in; there are %v", o.Strategy, names)
}

// checkOff refuses a switch that there is not: an ablation that switches nothing
// off would be taken for one that changes nothing.
func checkOff(s Strategy, off []string) error {
	for _, name := range off {
		if known := s.Switches(); !slices.Contains(known, name) {
			return effect.Errorf(effect.InvalidArgument, "no stage or retrieval term is called %.40q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// open pins the current snapshot of the request's bank.
func (e *Engine) open(ctx context.Context, port effect.Port, call *Call) (*opened, error) {
	strategy, err := e.strategyOf(call.Options)
	if err != nil {
		return nil, err
	}
	if err := checkOff(strategy, call.Options.Off); err != nil {
		return nil, err
	}
	h, err := e.cache.Open(ctx, effect.Client{Port: port, Bank: call.Bank})
	if err != nil {
		return nil, fmt.Errorf("open bank %q: %w", call.Bank, err)
	}
	run := &mem.Run{Now: call.Now, Options: call.Options, Ledger: &mem.Ledger{}}
	return &opened{Handle: h, run: run, strategy: strategy, call: call}, nil
}

// exists refuses a verb that needs something stored when there is no such bank.
func (o *opened) exists() error {
	if o.Snapshot().Version() == "" {
		return effect.Errorf(effect.BankNotFound, "bank %q does not exist", o.call.Bank)
	}
	return nil
}

// outcome reports what the call did.
func (o *opened) outcome() Outcome {
	l := o.run.Ledger
	out := Outcome{
		Bank: o.call.Bank, Version: o.Snapshot().Version(),
		Paths: l.Paths, Usage: l.Usage, Reports: l.Reports,
	}
	if out.Paths == nil {
		out.Paths = map[string]mem.Path{}
	}
	if out.Usage == nil {
		out.Usage = map[string]mem.Usage{}
	}
	return out
}

// stopped splits the error of derivation or evolution: what a model or a limit
// caused leaves everything stored and is reported beside the result; anything
// else fails the call.
func stopped(err error) (*effect.Error, error) {
	if err == nil {
		return nil, nil
	}
	e := effect.AsError(err)
	switch e.Code {
	case effect.ModelFailed, effect.ModelTimeout, effect.RateLimited, effect.Unauthorized, effect.ContextLength,
		effect.ModelRefused, effect.LimitReached, effect.EmbedFailed, effect.TagFailed, effect.Unavailable:
		return e, nil
	}
	return nil, err
}
