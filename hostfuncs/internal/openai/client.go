// Package openai is what the language model and the embedder share of talking
// to a server with OpenAI's interface: one client with a patient, bounded way to
// try again, errors turned into codes, and nothing in them that is secret.
package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	api "github.com/sashabaranov/go-openai"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// Config says how to reach a server and how patient to be.
type Config struct {
	BaseURL     string        // with the version, such as https://api.openai.com/v1, the default
	Key         string        // sent as bearer token; "" for servers that want none
	Timeout     time.Duration // of one attempt; 0: 90 seconds, negative: none but the context's
	Concurrency int           // requests at once over all callers; 0: 8
	MaxRetries  int           // further attempts after the first; 0: 4, negative: none
	MaxWait     time.Duration // for all waiting between attempts; 0: 1 minute
	Backoff     time.Duration // the first wait, doubled each time; 0: 500 ms
	MaxBody     int64         // bytes of a reply that are read; 0: 64 MB
	Transport   http.RoundTripper

	Failed   effect.Code // of failures of this kind of effect
	TimedOut effect.Code // of timeouts
}

// Client talks to one server.
type Client struct {
	API   *api.Client
	cfg   Config
	http  *http.Client
	slots chan struct{}
}

// New checks the configuration and returns a client.
func New(cfg Config) (*Client, error) {
	if cfg.BaseURL == "" {
		cfg.BaseURL = "https://api.openai.com/v1"
	}
	u, err := url.Parse(cfg.BaseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, effect.Errorf(effect.InvalidArgument, "the base URL of the server is not an http or https URL")
	}
	if u.User != nil {
		return nil, effect.Errorf(effect.InvalidArgument, "the base URL of the server holds a user name: give the key as such")
	}
	if strings.ContainsAny(cfg.Key, "\r\n\x00") {
		return nil, effect.Errorf(effect.InvalidArgument, "the key holds a line break")
	}
	cfg.standard()
	c := &Client{cfg: cfg, slots: make(chan struct{}, cfg.Concurrency)}
	conf := api.DefaultConfig(cfg.Key)
	conf.BaseURL = cfg.BaseURL
	// Comments and blank lines keep a slow stream alive; the library counts each
	// as an empty message.
	conf.EmptyMessagesLimit = 1 << 20
	c.http = &http.Client{Transport: &transport{next: cfg.Transport, maxBody: cfg.MaxBody}}
	conf.HTTPClient = c.http
	c.API = api.NewClientWithConfig(conf)
	return c, nil
}

func (c *Config) standard() {
	if c.Timeout == 0 {
		c.Timeout = 90 * time.Second
	}
	if c.Concurrency <= 0 {
		c.Concurrency = 8
	}
	if c.MaxRetries == 0 {
		c.MaxRetries = 4
	}
	if c.MaxWait == 0 {
		c.MaxWait = time.Minute
	}
	if c.Backoff <= 0 {
		c.Backoff = 500 * time.Millisecond
	}
	if c.MaxBody <= 0 {
		c.MaxBody = 64 << 20
	}
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
}

// String tells the server without the key or anything else that is secret.
func (c Config) String() string {
	host := "?"
	if u, err := url.Parse(c.BaseURL); err == nil {
		host = u.Host
	}
	key := "no key"
	if c.Key != "" {
		key = "a key"
	}
	return fmt.Sprintf("server %s with %s", host, key)
}

// GoString keeps %#v from showing the key.
func (c Config) GoString() string { return c.String() }

// Attempt is one request to the server. What it returns besides a nil error is
// classified by status and kind.
type Attempt func(ctx context.Context) error

// Fatal marks an error of an attempt that is not worth trying again as it is,
// although its code is.
type Fatal struct{ Err *effect.Error }

func (f Fatal) Error() string { return f.Err.Error() }

// Do performs an attempt until it succeeds, fails for good, or patience ends.
// texts are what the request carries: errors do not quote them.
func (c *Client) Do(ctx context.Context, doing string, texts []string, attempt Attempt) *effect.Error {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return c.contextError(ctx, doing)
	}
	waited := time.Duration(0)
	for n := 0; ; n++ {
		e := c.once(ctx, doing, texts, attempt)
		if e == nil {
			return nil
		}
		var fatal Fatal
		if errors.As(e.cause, &fatal) || !e.Retryable || e.Code == c.cfg.TimedOut || n >= c.cfg.MaxRetries {
			return e.Error
		}
		wait := c.wait(n, time.Duration(e.RetryAfter)*time.Millisecond)
		if waited += wait; waited > c.cfg.MaxWait {
			return e.Error
		}
		// Waiting into the deadline would turn a clear answer into a timeout.
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
			return e.Error
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return c.contextError(ctx, doing)
		}
	}
}

// failure is a classified error and what caused it.
type failure struct {
	*effect.Error
	cause error
}

func (c *Client) once(ctx context.Context, doing string, texts []string, attempt Attempt) *failure {
	inner, seen := ctx, &exchange{}
	if c.cfg.Timeout > 0 {
		var cancel context.CancelFunc
		inner, cancel = context.WithTimeout(ctx, c.cfg.Timeout)
		defer cancel()
	}
	err := attempt(context.WithValue(inner, exchangeKey{}, seen))
	if err == nil {
		return nil
	}
	e := c.classify(doing, err, seen)
	if ctx.Err() != nil {
		e = c.contextError(ctx, doing)
	} else if inner.Err() != nil {
		e = effect.Retryf(c.cfg.TimedOut, "%s: no answer within %v", doing, c.cfg.Timeout)
	}
	e.Message = hostfuncs.Redact(e.Message, append([]string{c.cfg.Key}, texts...)...)
	return &failure{e, err}
}

func (c *Client) contextError(ctx context.Context, doing string) *effect.Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return effect.Retryf(c.cfg.TimedOut, "%s: no answer within the caller's deadline", doing)
	}
	return effect.Errorf(effect.Canceled, "%s: cancelled", doing)
}

// Estimate is a rough count of tokens for servers that report none: four ASCII
// characters or one other letter a token.
func Estimate(text string) int {
	ascii, other := 0, 0
	for _, r := range text {
		if r < 0x80 {
			ascii++
		} else {
			other++
		}
	}
	return (ascii+3)/4 + other
}
