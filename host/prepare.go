package host

import (
	"bytes"
	"encoding/json"
	"reflect"
	"time"
	"unicode/utf8"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/hostfuncs"
)

// maxRequest is the longest request that is taken, in bytes. An import goes in
// pages.
const maxRequest = 64 << 20

// prepare makes a call of a request: it fills in what the host knows and binds
// the effects to the bank that the request names.
func (h *Host) prepare(verb string, request []byte) (*call, error) {
	if len(request) > maxRequest {
		return nil, tooLarge(verb, len(request))
	}
	request = bytes.TrimSpace(request)
	// The engines say more about what is wrong, but only JSON in UTF-8 can be
	// carried to all of them.
	if !utf8.Valid(request) {
		return nil, effect.Errorf(effect.InvalidArgument, "%.40s: the request is not valid UTF-8", verb)
	}
	if !json.Valid(request) {
		return nil, effect.Errorf(effect.InvalidJSON, "%.40s: the request is not JSON", verb)
	}
	var header struct {
		Bank    string          `json:"bank"`
		Now     json.RawMessage `json:"now"`
		Options json.RawMessage `json:"options"`
	}
	// A header of the wrong types goes through unchanged: the engine refuses
	// it, natively and as plugin in the same words.
	if request[0] == '{' && json.Unmarshal(request, &header) == nil {
		request = h.fill(request, header.Now, header.Options)
	}
	return h.newCall(verb, header.Bank, request), nil
}

func tooLarge(verb string, n int) *effect.Error {
	return effect.Errorf(effect.TooLarge, "%.40s: a request of %d bytes, the limit is %d", verb, n, maxRequest)
}

// newCall binds the effects of a call to its bank.
func (h *Host) newCall(verb, bank string, request json.RawMessage) *call {
	c := &call{verb: verb, bank: bank, request: request}
	if h.replays {
		c.log = newLog()
	}
	bound := hostfuncs.Options{}
	if verb != "banks" {
		bound.Banks = []string{bank}
	}
	c.port = &orderly{Port: hostfuncs.Port(h.config.Set, bound), turns: h.turns, bank: bank}
	return c
}

// fill appends the fields that a request leaves to the host. Of two equal
// fields the last one counts.
func (h *Host) fill(request, now, options []byte) []byte {
	add := map[string]any{}
	var at time.Time
	if now == nil || json.Unmarshal(now, &at) == nil && at.IsZero() {
		add["now"] = h.config.Now()
	}
	merged := h.config.Options
	if (options == nil || json.Unmarshal(options, &merged) == nil) && !reflect.ValueOf(merged).IsZero() {
		add["options"] = merged
	}
	fields, err := json.Marshal(add)
	if err != nil || len(add) == 0 {
		return request
	}
	head := bytes.TrimRight(request[:len(request)-1], " \t\r\n")
	out := append(make([]byte, 0, len(head)+len(fields)+1), head...)
	if len(head) > 1 {
		out = append(out, ',')
	}
	return append(out, fields[1:]...)
}

// stamp fills in what a typed request leaves to the host.
func (h *Host) stamp(c *core.Call) {
	if c.ABI == "" {
		c.ABI = core.ABI
	}
	if c.Now.IsZero() {
		c.Now = h.config.Now()
	}
	c.Options = merge(c.Options, h.config.Options)
}

// merge takes the host's setting wherever the request has none.
func merge(own, host mem.Options) mem.Options {
	to, from := reflect.ValueOf(&own).Elem(), reflect.ValueOf(host)
	for i := range to.NumField() {
		if to.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return own
}
