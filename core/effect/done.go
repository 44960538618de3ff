package effect

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"unicode/utf8"
)

// The message that ends a flow carries a result, which is JSON already and may
// be long: it is put in and taken out as it stands, as the last member.
const doneField = `"done":`

// sealDone makes the message that ends a flow.
func sealDone(e Envelope) ([]byte, error) {
	done := e.Done
	e.Done = nil
	h, err := json.Marshal(e)
	if err != nil {
		return nil, Errorf(Internal, "encode message header: %v", err)
	}
	out := make([]byte, 4, 4+len(h)+len(doneField)+len(done)+1)
	out = append(out, h[:len(h)-1]...)
	if len(h) > len("{}") {
		out = append(out, ',')
	}
	out = append(append(append(out, doneField...), done...), '}')
	binary.LittleEndian.PutUint32(out, uint32(len(out)-4))
	return out, nil
}

// openDone reads a message as sealDone makes it; false for any other, valid or
// not.
func openDone(message []byte) (e Envelope, ok bool) {
	if len(message) < 4 || len(message) > MaxMessage || uint64(binary.LittleEndian.Uint32(message)) != uint64(len(message)-4) {
		return e, false // raw bytes belong to none
	}
	header := message[4:]
	at := bytes.Index(header, []byte(doneField))
	if at < 1 || header[0] != '{' || header[len(header)-1] != '}' || !utf8.Valid(header) {
		return e, false
	}
	// What stands before, closed, and what stands behind must each be whole:
	// then nothing but this member lies between them.
	before := []byte("{}")
	if n := at - 1; n > 0 {
		if n == 1 || header[n] != ',' {
			return e, false
		}
		before = append(bytes.Clone(header[:n]), '}')
	}
	done := header[at+len(doneField) : len(header)-1]
	var in wireEnvelope
	if json.Unmarshal(before, &in) != nil || in.Want != nil || in.Replies != nil || !json.Valid(done) {
		return e, false
	}
	in.Done = done
	return in.Envelope, true
}
