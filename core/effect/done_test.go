package effect

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// decodeSlowly is DecodeEnvelope without the short way for results.
func decodeSlowly(t *testing.T, message []byte) (Envelope, error) {
	t.Helper()
	var in wireEnvelope
	if _, err := Open(message, &in); err != nil {
		return Envelope{}, err
	}
	return in.Envelope, nil
}

func headerOf(header string) []byte {
	b, err := Seal(json.RawMessage(header), nil)
	if err != nil { // not JSON: as a broken plugin would send it
		b = append([]byte{byte(len(header)), byte(len(header) >> 8), 0, 0}, header...)
	}
	return b
}

var doneHeaders = []string{
	`{"flow":"7","done":{"a":[1,2]}}`, `{"done":null}`, `{"done":1}`, `{"done":{}}`, `{"flow":"1","done":"x\"done\":y"}`,
	`{"done":{"done":1}}`, `{"flow":"1","done":1,"now":"x"}`, `{"request":{"done":1},"done":2}`, `{"request":{"done":1}}`,
	`{"flow":"\"done\":","done":3}`, `{"flow":"1","done":}`, `{"flow":"1""done":1}`, `{,"done":1}`, `{"done":1}}`, `{"done":[1}`,
	`{"done":1,"done":2}`, `{"want":[{"op":"store_get"}],"done":1}`, `{"flow":"a\u00ff","done": 4 }`, `"done":1}`, `{"done":`, ``, `}`,
}

// The short way gives what the long one gives, for whatever a plugin may send.
func TestResultsAreTakenOutAsTheyStand(t *testing.T) {
	for _, header := range doneHeaders {
		message := headerOf(header)
		got, gotErr := DecodeEnvelope(message)
		want, wantErr := decodeSlowly(t, message)
		got.Want, got.Replies = nil, nil
		got.Done, want.Done = bytes.TrimSpace(got.Done), bytes.TrimSpace(want.Done)
		if !reflect.DeepEqual(got, want) && !(len(got.Done)+len(want.Done) == 0) || (gotErr == nil) != (wantErr == nil) {
			t.Errorf("%s: %+v, %v; want %+v, %v", header, got, gotErr, want, wantErr)
		}
	}
	if _, ok := openDone(headerOf(`{"flow":"7","done":{"a":1}}`)); !ok {
		t.Error("a plain result goes the long way")
	}
	e := Envelope{Flow: "12", Done: json.RawMessage(`{"x":"\u2028"}`)}
	message, err := EncodeEnvelope(e)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := DecodeEnvelope(message); err != nil || !reflect.DeepEqual(back, e) {
		t.Errorf("back comes %+v, %v", back, err)
	}
}

func FuzzOpenDone(f *testing.F) {
	for _, header := range doneHeaders {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		message := headerOf(header)
		short, ok := openDone(message)
		if !ok {
			return
		}
		long, err := decodeSlowly(t, message)
		short.Done, long.Done = bytes.TrimSpace(short.Done), bytes.TrimSpace(long.Done)
		if err != nil || !reflect.DeepEqual(short, long) {
			t.Errorf("%q: %+v; want %+v, %v", header, short, long, err)
		}
	})
}
