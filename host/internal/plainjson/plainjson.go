// Package plainjson words the errors of JSON for a person: where, what stands
// there and what was expected, without the names of Go's types and without the
// values themselves.
package plainjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
)

// Explain words an error of encoding/json; others it gives back as they are.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the JSON ends in the middle of a value")
	case errors.As(err, &syntax):
		if strings.HasPrefix(syntax.Error(), "unexpected end") {
			return errors.New("the JSON ends in the middle of a value")
		}
		return fmt.Errorf("not JSON at byte %d: %s", syntax.Offset, syntax.Error())
	case errors.As(err, new(*time.ParseError)), strings.HasPrefix(err.Error(), "Time.UnmarshalJSON"):
		return errors.New("a time is not written as 2025-03-02T18:00:00Z")
	case errors.As(err, &kind):
		what := "the value"
		if kind.Field != "" {
			what = fmt.Sprintf("field %q", kind.Field)
		}
		return fmt.Errorf("%s is %s; expected %s", what, given(kind.Value), expected(kind.Type))
	}
	return err
}

// given names what stands in the file. The value of a number follows its kind
// and is left out.
func given(value string) string {
	kind, _, _ := strings.Cut(value, " ")
	switch kind {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	case "string":
		return "a text"
	}
	return "a " + kind
}

// expected names what a Go type takes.
func expected(t reflect.Type) string {
	if t == nil {
		return "something else"
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct:
		if t.PkgPath() == "time" {
			return "a time"
		}
		return "an object"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "something else"
}
