package dialogue

import (
	"encoding/json"
	"strings"
)

// readable renders JSON as words for the index, "city: Porto, days: 3", in the
// order in which it was written; what is no JSON object or list stands as it
// is.
func readable(s string) string {
	trimmed := strings.TrimSpace(s)
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' || !json.Valid([]byte(trimmed)) {
		return s
	}
	dec := json.NewDecoder(strings.NewReader(trimmed))
	dec.UseNumber()
	var b strings.Builder
	if render(dec, &b, 0) != nil {
		return s
	}
	return b.String()
}

// maxDepth bounds the nesting that is rendered.
const maxDepth = 64

func render(dec *json.Decoder, b *strings.Builder, depth int) error {
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	switch v := tok.(type) {
	case json.Delim:
		return renderInside(dec, b, v == '{', depth)
	case string:
		b.WriteString(v)
	case json.Number:
		b.WriteString(v.String())
	case bool:
		if v {
			b.WriteString("true")
		} else {
			b.WriteString("false")
		}
	}
	return nil
}

type tooDeep struct{}

func (tooDeep) Error() string { return "nested too deeply" }

func renderInside(dec *json.Decoder, b *strings.Builder, object bool, depth int) error {
	if depth > maxDepth {
		return tooDeep{}
	}
	for i := 0; dec.More(); i++ {
		if i > 0 {
			b.WriteString(", ")
		}
		if object {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			name, _ := key.(string)
			b.WriteString(name + ": ")
		}
		if err := render(dec, b, depth+1); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}
