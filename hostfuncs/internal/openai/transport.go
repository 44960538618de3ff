package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// exchange is what the transport saw of one attempt, and what it is to set in
// the request's body beyond what the library can say.
type exchange struct {
	header http.Header
	status int
}

type exchangeKey struct{}

type fieldsKey struct{}

// WithFields has the transport set fields of the request's body that the
// library leaves out, such as a temperature of 0.
func WithFields(ctx context.Context, fields map[string]any) context.Context {
	return context.WithValue(ctx, fieldsKey{}, fields)
}

// transport keeps a reply's headers, which the library drops on errors, and
// bounds its body.
type transport struct {
	next    http.RoundTripper
	maxBody int64
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if fields, _ := r.Context().Value(fieldsKey{}).(map[string]any); len(fields) > 0 && r.Body != nil {
		patched, err := patch(r, fields)
		if err != nil {
			return nil, err
		}
		r = patched
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if seen, _ := r.Context().Value(exchangeKey{}).(*exchange); seen != nil {
		seen.header, seen.status = resp.Header, resp.StatusCode
	}
	limit := t.maxBody
	if resp.StatusCode >= 400 {
		limit = min(limit, 1<<20) // an error page
	}
	resp.Body = &bounded{ReadCloser: resp.Body, left: limit}
	return resp, nil
}

func patch(r *http.Request, fields map[string]any) (*http.Request, error) {
	raw, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read the request's body: %w", err)
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, errors.New("the request's body is no JSON object")
	}
	for k, v := range fields {
		if body[k], err = json.Marshal(v); err != nil {
			return nil, fmt.Errorf("encode field %s: %w", k, err)
		}
	}
	if raw, err = json.Marshal(body); err != nil {
		return nil, fmt.Errorf("encode the request's body: %w", err)
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	return r, nil
}

var errHuge = errors.New("the server's reply is over the limit")

type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		// Distinguish a body of just the limit from a longer one.
		var one [1]byte
		if n, err := b.ReadCloser.Read(one[:]); n == 0 && err != nil {
			return 0, err
		}
		return 0, errHuge
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// retryAfter reads how long the server asks to wait: seconds, also with a
// fraction, or a date; milliseconds where the server says so.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil && s > 0 {
		return seconds(s)
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

func seconds(s float64) time.Duration {
	return time.Duration(min(s, 7*24*3600) * float64(time.Second))
}

// wait is the time before attempt n+2: what the server asks for and a little
// more, else the backoff with jitter, so that callers do not come back at once.
func (c *Client) wait(n int, asked time.Duration) time.Duration {
	step := min(c.cfg.Backoff<<min(n, 10), 20*time.Second)
	jitter := time.Duration(rand.Int64N(int64(step)/2 + 1))
	if asked > 0 {
		return asked + min(jitter, asked/10)
	}
	return step/2 + jitter
}
