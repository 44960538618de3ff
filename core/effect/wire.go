package effect

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"unicode/utf8"
)

// The wire form of a message is
//
//	uint32 (little endian) length of the header ‖ header (JSON) ‖ raw bytes
//
// Whatever is binary (keys, values, vectors) stands in the raw bytes and is
// referenced from the header by [offset, length]: base64 inside JSON costs a
// guest 50–76 ms a megabyte to decode.

// MaxMessage is the longest message that is decoded, in bytes.
const MaxMessage = 256 << 20

// span references raw bytes by offset and length. A nil slice is [-1, 0].
type span [2]int64

// body gathers raw bytes.
type body struct{ b []byte }

func (w *body) put(b []byte) span {
	if b == nil {
		return span{-1, 0}
	}
	s := span{int64(len(w.b)), int64(len(b))}
	w.b = append(w.b, b...)
	return s
}

func (w *body) putAll(list [][]byte) []span {
	out := make([]span, len(list))
	for i, b := range list {
		out[i] = w.put(b)
	}
	return out
}

func take(raw []byte, s span) ([]byte, error) {
	if s[0] == -1 && s[1] == 0 {
		return nil, nil
	}
	if s[0] < 0 || s[1] < 0 || s[0] > int64(len(raw)) || s[1] > int64(len(raw))-s[0] {
		return nil, Errorf(InvalidArgument, "decode message: span [%d, %d] lies outside the %d raw bytes", s[0], s[1], len(raw))
	}
	return raw[s[0] : s[0]+s[1] : s[0]+s[1]], nil
}

func takeAll(raw []byte, spans []span) ([][]byte, error) {
	if spans == nil {
		return nil, nil
	}
	out := make([][]byte, len(spans))
	for i, s := range spans {
		b, err := take(raw, s)
		if err != nil {
			return nil, err
		}
		out[i] = b
	}
	return out, nil
}

// Seal joins a header and raw bytes to a message.
func Seal(header any, raw []byte) ([]byte, error) {
	h, err := json.Marshal(header)
	if err != nil {
		return nil, Errorf(Internal, "encode message header: %v", err)
	}
	out := make([]byte, 4, 4+len(h)+len(raw))
	binary.LittleEndian.PutUint32(out, uint32(len(h)))
	return append(append(out, h...), raw...), nil
}

// Open splits a message into its header and raw bytes and unmarshals the
// header. The raw bytes alias the message.
func Open(message []byte, header any) (raw []byte, err error) {
	if len(message) > MaxMessage {
		return nil, Errorf(TooLarge, "decode message: %d bytes, the limit is %d", len(message), MaxMessage)
	}
	if len(message) < 4 {
		return nil, Errorf(InvalidArgument, "decode message: %d bytes are too short for a header length", len(message))
	}
	n := int64(binary.LittleEndian.Uint32(message))
	if n > int64(len(message)-4) {
		return nil, Errorf(InvalidArgument, "decode message: header of %d bytes in a message of %d", n, len(message))
	}
	// json would replace the bytes silently, and one name would become another.
	if !utf8.Valid(message[4 : 4+n]) {
		return nil, Errorf(InvalidArgument, "decode message header: not valid UTF-8")
	}
	if err := json.Unmarshal(message[4:4+n], header); err != nil {
		return nil, Errorf(InvalidJSON, "decode message header: %v", err)
	}
	return message[4+n:], nil
}

// wireRequest is a Request as its header stands on the wire.
type wireRequest struct {
	Op        Op          `json:"op"`
	Bank      string      `json:"bank,omitempty"`
	Prompts   []Prompt    `json:"prompts,omitempty"`
	Texts     []string    `json:"texts,omitempty"`
	Purpose   string      `json:"purpose,omitempty"`
	Keys      []span      `json:"keys,omitempty"`
	Prefix    *span       `json:"prefix,omitempty"`
	After     *span       `json:"after,omitempty"`
	Limit     int         `json:"limit,omitempty"`
	Expected  string      `json:"expected,omitempty"`
	Version   string      `json:"version,omitempty"`
	Writes    []wireWrite `json:"writes,omitempty"`
	AfterBank string      `json:"after_bank,omitempty"`
	Progress  *Progress   `json:"progress,omitempty"`
}

type wireWrite struct {
	Key   span  `json:"key"`
	Value *span `json:"value,omitempty"` // absent: delete
}

// wireReply is a Reply as its header stands on the wire.
type wireReply struct {
	Err         *Error       `json:"error,omitempty"`
	Completions []Completion `json:"completions,omitempty"`
	Vectors     *wireVectors `json:"vectors,omitempty"`
	Entities    [][]Entity   `json:"entities,omitempty"`
	Current     string       `json:"current,omitempty"`
	Values      []span       `json:"values,omitempty"`
	Entries     []wireEntry  `json:"entries,omitempty"`
	More        bool         `json:"more,omitempty"`
	Conflict    bool         `json:"conflict,omitempty"`
	Banks       []string     `json:"banks,omitempty"`
}

type wireVectors struct {
	Model string `json:"model"`
	Dims  int    `json:"dims"`
	Data  span   `json:"data"` // float32, little endian
}

type wireEntry struct {
	Key   span `json:"key"`
	Value span `json:"value"`
}

// Envelope is the header of a step message in either direction; its raw bytes
// belong to the requests or replies.
type Envelope struct {
	ABI     string          `json:"abi,omitempty"`     // begin
	Verb    string          `json:"verb,omitempty"`    // begin
	Request json.RawMessage `json:"request,omitempty"` // begin: the verb's request
	Now     string          `json:"now,omitempty"`     // begin, resume: RFC 3339
	Flow    string          `json:"flow,omitempty"`    // resume, cancel; every answer
	Want    []Request       `json:"-"`                 // answer: effects to perform
	Replies []Reply         `json:"-"`                 // resume: their results, in order
	Done    json.RawMessage `json:"done,omitempty"`    // answer: the verb's result
}

type wireEnvelope struct {
	Envelope
	Want    []wireRequest `json:"want,omitempty"`
	Replies []wireReply   `json:"replies,omitempty"`
}

// EncodeEnvelope gives the wire form of a step message. A result is JSON
// already and goes in as it stands: to pass it through the encoder costs a
// guest more than to make it.
func EncodeEnvelope(e Envelope) ([]byte, error) {
	if e.Done != nil && e.Want == nil && e.Replies == nil {
		return sealDone(e)
	}
	var w body
	out := wireEnvelope{Envelope: e}
	for _, r := range e.Want {
		out.Want = append(out.Want, packRequest(&w, r))
	}
	for _, r := range e.Replies {
		out.Replies = append(out.Replies, packReply(&w, r))
	}
	return Seal(out, w.b)
}

// DecodeEnvelope reads the wire form of a step message. Byte slices alias it.
func DecodeEnvelope(message []byte) (Envelope, error) {
	if e, ok := openDone(message); ok {
		return e, nil
	}
	var in wireEnvelope
	raw, err := Open(message, &in)
	if err != nil {
		return Envelope{}, err
	}
	e := in.Envelope
	for _, h := range in.Want {
		r, err := unpackRequest(raw, h)
		if err != nil {
			return Envelope{}, err
		}
		e.Want = append(e.Want, r)
	}
	for _, h := range in.Replies {
		r, err := unpackReply(raw, h)
		if err != nil {
			return Envelope{}, err
		}
		e.Replies = append(e.Replies, r)
	}
	return e, nil
}

// EncodeRequest gives the wire form of one request, as host functions take it.
func EncodeRequest(r Request) ([]byte, error) {
	var w body
	h := packRequest(&w, r)
	return Seal(h, w.b)
}

// DecodeRequest reads the wire form of one request. Byte slices alias it.
func DecodeRequest(message []byte) (Request, error) {
	var h wireRequest
	raw, err := Open(message, &h)
	if err != nil {
		return Request{}, err
	}
	return unpackRequest(raw, h)
}

// EncodeReply gives the wire form of one reply, as host functions return it.
func EncodeReply(r Reply) ([]byte, error) {
	var w body
	h := packReply(&w, r)
	return Seal(h, w.b)
}

// DecodeReply reads the wire form of one reply. Byte slices alias it.
func DecodeReply(message []byte) (Reply, error) {
	var h wireReply
	raw, err := Open(message, &h)
	if err != nil {
		return Reply{}, err
	}
	return unpackReply(raw, h)
}

func packRequest(w *body, r Request) wireRequest {
	h := wireRequest{
		Op: r.Op, Bank: r.Bank, Prompts: r.Prompts, Texts: r.Texts, Purpose: r.Purpose,
		Limit: r.Limit, Expected: r.Expected, Version: r.Version, AfterBank: r.AfterBank,
	}
	if r.Keys != nil {
		h.Keys = w.putAll(r.Keys)
	}
	if r.Prefix != nil {
		s := w.put(r.Prefix)
		h.Prefix = &s
	}
	if r.After != nil {
		s := w.put(r.After)
		h.After = &s
	}
	for _, op := range r.Writes {
		ww := wireWrite{Key: w.put(op.Key)}
		if !op.Delete {
			s := w.put(nonNil(op.Value))
			ww.Value = &s
		}
		h.Writes = append(h.Writes, ww)
	}
	if r.Op == OpProgress {
		p := r.Progress
		h.Progress = &p
	}
	return h
}

func unpackRequest(raw []byte, h wireRequest) (Request, error) {
	r := Request{
		Op: h.Op, Bank: h.Bank, Prompts: h.Prompts, Texts: h.Texts, Purpose: h.Purpose,
		Limit: h.Limit, Expected: h.Expected, Version: h.Version, AfterBank: h.AfterBank,
	}
	var err error
	if r.Keys, err = takeAll(raw, h.Keys); err != nil {
		return r, err
	}
	if h.Prefix != nil {
		if r.Prefix, err = take(raw, *h.Prefix); err != nil {
			return r, err
		}
	}
	if h.After != nil {
		if r.After, err = take(raw, *h.After); err != nil {
			return r, err
		}
	}
	for _, ww := range h.Writes {
		op := Write{Delete: ww.Value == nil}
		if op.Key, err = take(raw, ww.Key); err != nil {
			return r, err
		}
		if ww.Value != nil {
			if op.Value, err = take(raw, *ww.Value); err != nil {
				return r, err
			}
		}
		r.Writes = append(r.Writes, op)
	}
	if h.Progress != nil {
		r.Progress = *h.Progress
	}
	return r, nil
}

func packReply(w *body, r Reply) wireReply {
	h := wireReply{
		Err: r.Err, Completions: r.Completions, Entities: r.Entities,
		Current: r.Current, More: r.More, Conflict: r.Conflict, Banks: r.Banks,
	}
	if r.Vectors.Dims > 0 {
		h.Vectors = &wireVectors{Model: r.Vectors.Model, Dims: r.Vectors.Dims, Data: w.put(packFloats(r.Vectors.Data))}
	}
	if r.Values != nil {
		h.Values = w.putAll(r.Values)
	}
	for _, e := range r.Entries {
		h.Entries = append(h.Entries, wireEntry{Key: w.put(nonNil(e.Key)), Value: w.put(nonNil(e.Value))})
	}
	return h
}

func unpackReply(raw []byte, h wireReply) (Reply, error) {
	r := Reply{
		Err: h.Err, Completions: h.Completions, Entities: h.Entities,
		Current: h.Current, More: h.More, Conflict: h.Conflict, Banks: h.Banks,
	}
	var err error
	if h.Vectors != nil {
		data, err := take(raw, h.Vectors.Data)
		if err != nil {
			return r, err
		}
		if h.Vectors.Dims <= 0 || len(data)%4 != 0 || (len(data)/4)%h.Vectors.Dims != 0 {
			return r, Errorf(InvalidArgument, "decode vectors: %d bytes are no whole rows of %d float32", len(data), h.Vectors.Dims)
		}
		r.Vectors = Vectors{Model: h.Vectors.Model, Dims: h.Vectors.Dims, Data: unpackFloats(data)}
	}
	if r.Values, err = takeAll(raw, h.Values); err != nil {
		return r, err
	}
	for _, we := range h.Entries {
		var e Entry
		if e.Key, err = take(raw, we.Key); err != nil {
			return r, err
		}
		if e.Value, err = take(raw, we.Value); err != nil {
			return r, err
		}
		r.Entries = append(r.Entries, e)
	}
	return r, nil
}

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func packFloats(v []float32) []byte {
	out := make([]byte, 4*len(v))
	for i, f := range v {
		binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(f))
	}
	return out
}

func unpackFloats(b []byte) []float32 {
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}
