package plainjson

import (
	"encoding/json"
	"testing"
	"time"
)

func TestNoNameOfGoAndNoValueReachesAPerson(t *testing.T) {
	type inner struct {
		List  []json.RawMessage `json:"list"`
		Table map[string]string `json:"table"`
		N     int               `json:"n"`
		Yes   *bool             `json:"yes"`
		At    time.Time         `json:"at"`
	}
	for in, want := range map[string]string{
		`{"list":{"secret":1}}`: `field "list" is an object; expected a list`,
		`{"table":["secret"]}`:  `field "table" is a list; expected an object`,
		`{"n":12.75}`:           `field "n" is a number; expected a whole number`,
		`{"n":"secret"}`:        `field "n" is a text; expected a whole number`,
		`{"yes":3}`:             `field "yes" is a number; expected true or false`,
		`["secret"]`:            `the value is a list; expected an object`,
		`{"at":7}`:              `a time is not written as 2025-03-02T18:00:00Z`,
		`{"at":"secret"}`:       `a time is not written as 2025-03-02T18:00:00Z`,
		`{"n":1`:                `the JSON ends in the middle of a value`,
		`{"n":x`:                `not JSON at byte 6: invalid character 'x' looking for beginning of value`,
	} {
		err := json.Unmarshal([]byte(in), new(inner))
		if err == nil {
			t.Fatalf("%s was read", in)
		}
		if got := Explain(err).Error(); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
