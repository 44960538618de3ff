package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	api "github.com/sashabaranov/go-openai"

	"github.com/leanmem/leanmem/core/effect"
)

// classify gives an error of an attempt its code.
func (c *Client) classify(doing string, err error, seen *exchange) *effect.Error {
	if e := (*effect.Error)(nil); errors.As(err, &e) {
		own := *e
		return &own
	}
	fatal := Fatal{}
	if errors.As(err, &fatal) {
		own := *fatal.Err
		return &own
	}
	var answered *api.APIError
	var unreadable *api.RequestError
	switch {
	case errors.Is(err, errHuge):
		return effect.Errorf(c.cfg.Failed, "%s: the server's reply has more than %d bytes", doing, c.cfg.MaxBody)
	// An unreadable answer may wrap a half-read one, so it is asked for first.
	case errors.As(err, &unreadable):
		return c.byStatus(doing, unreadable.HTTPStatusCode, page(unreadable.Body, seen), seen)
	case errors.As(err, &answered):
		status := answered.HTTPStatusCode
		if status == 0 { // within a stream
			status = statusOf(answered)
		}
		return c.byStatus(doing, status, Says(err), seen)
	}
	return c.withoutStatus(doing, err)
}

func (c *Client) withoutStatus(doing string, err error) *effect.Error {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err // without the URL
	}
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	var op *net.OpError
	switch {
	case errors.As(err, &syntax), errors.As(err, &typ):
		return effect.Retryf(c.cfg.Failed, "%s: the server's reply is no JSON of the expected form", doing)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return effect.Retryf(c.cfg.Failed, "%s: the server's reply was cut off", doing)
	case errors.As(err, &op):
		return effect.Retryf(c.cfg.Failed, "%s: cannot talk to the server: %v", doing, op)
	}
	return effect.Retryf(c.cfg.Failed, "%s: %v", doing, err)
}

// byStatus classifies what the server answered.
func (c *Client) byStatus(doing string, status int, says Answer, seen *exchange) *effect.Error {
	text := strings.ToLower(says.Code + " " + says.Type + " " + says.Message)
	message := fmt.Sprintf("%s: the server answered %d %s", doing, status, http.StatusText(status))
	if says.Message != "" {
		message += ": " + says.Message
	}
	code, again := c.cfg.Failed, false
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		code = effect.Unauthorized
	case IsContextLength(text) && status != http.StatusTooManyRequests, status == http.StatusRequestEntityTooLarge:
		code = effect.ContextLength
	case IsRefusal(text):
		code = effect.ModelRefused
	case status == http.StatusTooManyRequests:
		// No waiting brings back a quota that is spent.
		code, again = effect.RateLimited, !strings.Contains(text, "insufficient_quota")
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly, status >= 500 && status != http.StatusNotImplemented:
		again = true
	}
	e := effect.Errorf(code, "%s", message)
	e.Retryable = again
	if again {
		e.RetryAfter = retryAfter(seen.header, time.Now()).Milliseconds()
	}
	return e
}

// Answer is what a server says about an error.
type Answer struct{ Code, Type, Message string }

// Status is the HTTP status of an attempt's error; 0 without an answer.
func Status(err error) int {
	var answered *api.APIError
	var unreadable *api.RequestError
	switch {
	case errors.As(err, &unreadable):
		return unreadable.HTTPStatusCode
	case errors.As(err, &answered):
		return answered.HTTPStatusCode
	}
	return 0
}

// Says is what the server's error says, in whatever form it came.
func Says(err error) Answer {
	var answered *api.APIError
	var unreadable *api.RequestError
	switch {
	case errors.As(err, &unreadable):
		return page(unreadable.Body, nil)
	case errors.As(err, &answered):
		a := Answer{Type: answered.Type, Message: answered.Message}
		if answered.Code != nil {
			a.Code = fmt.Sprint(answered.Code)
		}
		return a
	}
	return Answer{}
}

// page reads an error that is not of OpenAI's form: {"detail": …} and {"error":
// "…"} of local servers, or an HTML page of a proxy, which says nothing useful.
func page(body []byte, seen *exchange) Answer {
	var j struct {
		Detail  json.RawMessage `json:"detail"`
		Error   json.RawMessage `json:"error"`
		Message json.RawMessage `json:"message"`
	}
	if json.Unmarshal(body, &j) != nil {
		text := strings.TrimSpace(string(body[:min(len(body), 2000)]))
		html := strings.HasPrefix(text, "<") || (seen != nil && strings.Contains(seen.header.Get("Content-Type"), "html"))
		if html {
			return Answer{Message: "(an HTML page)"}
		}
		return Answer{Message: text}
	}
	for _, raw := range []json.RawMessage{j.Message, j.Error, j.Detail} {
		var s string
		if json.Unmarshal(raw, &s) == nil && s != "" {
			return Answer{Message: s}
		}
	}
	return Answer{Message: strings.TrimSpace(string(j.Detail[:min(len(j.Detail), 2000)]))}
}

// statusOf finds the status of an error that came within a stream.
func statusOf(e *api.APIError) int {
	if n, ok := e.Code.(int); ok && n >= 400 && n < 600 {
		return n
	}
	text := strings.ToLower(fmt.Sprint(e.Code, " ", e.Type))
	switch {
	case strings.Contains(text, "rate_limit"):
		return http.StatusTooManyRequests
	case strings.Contains(text, "invalid_request"):
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// IsContextLength recognises a prompt that does not fit the model, in the words
// of several servers. text is lower case.
func IsContextLength(text string) bool {
	for _, s := range []string{
		"context_length", "context length", "context window", "context size", "maximum context", "exceed_context",
		"prompt is too long", "too many tokens", "input is too long", "string_above_max_length", "reduce the length",
		"max_position_embeddings", "maximum input length", "exceeds the maximum number of tokens",
	} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// IsRefusal reports what servers say, in lower case, when a filter or a policy of
// theirs refuses a text.
func IsRefusal(text string) bool {
	for _, s := range []string{"content_filter", "content_policy", "content management policy", "responsibleaipolicy", "safety system"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}
