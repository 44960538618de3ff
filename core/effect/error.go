package effect

import (
	"errors"
	"fmt"
)

// Code is one of the closed list of error codes.
type Code string

const (
	InvalidJSON      Code = "invalid_json"      // the request is not JSON
	InvalidArgument  Code = "invalid_argument"  // a field is missing, of the wrong type or out of range
	UnknownVerb      Code = "unknown_verb"      //
	UnsupportedABI   Code = "unsupported_abi"   // the caller speaks a newer major version
	BankNotFound     Code = "bank_not_found"    //
	NotFound         Code = "not_found"         // no memory or turn of that id
	BankExists       Code = "bank_exists"       // import into a bank that is not empty
	Forbidden        Code = "forbidden"         // the host does not let the caller touch that bank
	Conflict         Code = "conflict"          // other writers won every attempt; nothing was written
	TooLarge         Code = "too_large"         // a value or a request is over its limit
	StoreFailed      Code = "store_failed"      //
	StoreFull        Code = "store_full"        //
	StoreCorrupt     Code = "store_corrupt"     // stored bytes do not match their checksum or form
	FormatTooNew     Code = "format_too_new"    // the bank was written by a newer release
	ModelFailed      Code = "model_failed"      //
	ModelTimeout     Code = "model_timeout"     //
	RateLimited      Code = "rate_limited"      //
	Unauthorized     Code = "unauthorized"      // bad or missing key
	ContextLength    Code = "context_length"    // the prompt does not fit the model
	ModelRefused     Code = "model_refused"     // refusal or content filter
	EmbedFailed      Code = "embed_failed"      //
	EmbedderMismatch Code = "embedder_mismatch" // the bank was built with another embedder
	TagFailed        Code = "tag_failed"        //
	LimitReached     Code = "limit_reached"     // the caller's own limit of tokens or calls
	Canceled         Code = "canceled"          //
	Deadline         Code = "deadline"          //
	Busy             Code = "busy"              // too many flows or waiting requests
	UnknownFlow      Code = "unknown_flow"      // never begun, finished, cancelled or expired
	Unavailable      Code = "unavailable"       // the host does not supply this effect
	Internal         Code = "internal"          // a fault of leanmem's own
)

// Codes lists every code.
var Codes = []Code{
	InvalidJSON, InvalidArgument, UnknownVerb, UnsupportedABI, BankNotFound, NotFound, BankExists, Forbidden,
	Conflict, TooLarge, StoreFailed, StoreFull, StoreCorrupt, FormatTooNew, ModelFailed, ModelTimeout,
	RateLimited, Unauthorized, ContextLength, ModelRefused, EmbedFailed, EmbedderMismatch, TagFailed,
	LimitReached, Canceled, Deadline, Busy, UnknownFlow, Unavailable, Internal,
}

// ErrUnwind is carried by the panic with which a port may unwind a flow that
// was abandoned. Whoever recovers panics lets it pass.
var ErrUnwind = errors.New("flow abandoned")

// Error is the one form in which a failure crosses a boundary. Message is for
// a person: what was being done and with what, never a key and never the text
// of a memory or a prompt.
type Error struct {
	Code      Code   `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
	// RetryAfter is how many milliseconds the provider asked to wait; 0 when
	// it did not say.
	RetryAfter int64 `json:"retry_after_ms,omitempty"`
}

func (e *Error) Error() string { return e.Message + " (" + string(e.Code) + ")" }

// Errorf builds an error that is not worth retrying as it is.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Retryf builds an error that may pass when tried again.
func Retryf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Retryable: true}
}

// AsError returns err as an Error, wrapping what has no code as Internal. The
// context that %w chains put before a coded error is kept in the message.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Code: Internal, Message: err.Error()}
	}
	if err == error(e) {
		return e
	}
	c := *e
	c.Message = err.Error()
	if suffix := " (" + string(e.Code) + ")"; len(c.Message) > len(suffix) && c.Message[len(c.Message)-len(suffix):] == suffix {
		c.Message = c.Message[:len(c.Message)-len(suffix)]
	}
	return &c
}

// HasCode reports whether err carries the code.
func HasCode(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
