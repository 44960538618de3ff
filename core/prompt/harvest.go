package prompt

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Bounds on what is read of a reply. A longer one is cut, a deeper or fuller
// one is read as far as they reach.
const (
	maxReply   = 1 << 20
	maxObjects = 4096
	maxDepth   = 32
	maxField   = 2000 // bytes of one value
)

// harvest is what stands whole in a reply.
type harvest struct {
	objects []gjson.Result // every object that is closed, in the order of their ends
	whole   bool           // the JSON is closed, nothing was cut off
	empty   bool           // the reply's own list is there and holds nothing
}

// reap finds the objects of a reply, whatever stands around them. It never
// fails and takes time linear in the reply, times its depth.
func reap(reply string) harvest {
	if len(reply) > maxReply {
		reply = reply[:maxReply]
	}
	s := body(reply)
	var h harvest
	var stack []int // places of brackets not closed yet
	inString, opened := false, false
	for i := 0; i < len(s) && len(h.objects) < maxObjects; i++ {
		c := s[i]
		switch {
		case inString && c == '\\':
			i++
		case c == '"' && len(stack) > 0:
			inString = !inString
		case inString:
		case (c == '{' || c == '[') && len(stack) < maxDepth:
			stack = append(stack, i)
			opened = true
		case (c == '}' || c == ']') && len(stack) > 0:
			start := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if c == '}' && s[start] == '{' {
				h.objects = append(h.objects, gjson.Parse(s[start:i+1]))
			}
			if len(stack) == 0 {
				h.empty = h.empty || emptyList(s[start:i+1])
			}
		}
	}
	h.whole = opened && len(stack) == 0 && !inString
	return h
}

// body drops reasoning before the answer. Of reasoning that was never closed
// nothing is an answer.
func body(s string) string {
	for _, tag := range []string{"think", "thinking", "reasoning"} {
		if i := strings.LastIndex(s, "</"+tag+">"); i >= 0 {
			s = s[i+len(tag)+3:]
		}
		if i := strings.Index(s, "<"+tag+">"); i >= 0 {
			s = s[:i]
		}
	}
	return s
}

// emptyList reports whether a closed reply is an object whose only list is
// empty, or an empty list: a valid answer that says nothing is to be kept.
func emptyList(s string) bool {
	r := gjson.Parse(s)
	if r.IsArray() {
		return len(r.Array()) == 0 && strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "[]")) == ""
	}
	if echo(r) {
		return false
	}
	lists, filled := 0, false
	r.ForEach(func(_, v gjson.Result) bool {
		if v.IsArray() {
			lists++
			filled = filled || len(v.Array()) > 0
		}
		return lists < 64
	})
	return lists > 0 && !filled
}

// echo reports a reply that repeats the schema in place of following it.
func echo(r gjson.Result) bool {
	return r.Get("properties").Exists() || r.Get(`\$defs`).Exists() || r.Get(`\$schema`).Exists()
}

// field gives the value of a key under any of its names. Models change case
// and join words as they please.
func field(o gjson.Result, names ...string) (found gjson.Result) {
	best := len(names)
	o.ForEach(func(k, v gjson.Result) bool {
		for i, n := range names[:best] {
			if sameKey(k.Str, n) {
				best, found = i, v
				break
			}
		}
		return best > 0
	})
	return found
}

// sameKey compares a key with a name in lower case, whatever its case and
// however its words are joined.
func sameKey(key, name string) bool {
	n := 0
	for i := 0; i < len(key); i++ {
		c := key[i]
		switch {
		case c == '_' || c == '-' || c == ' ':
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		if n == len(name) || name[n] != c {
			return false
		}
		n++
	}
	return n == len(name)
}

// word gives a string value, folded to one line and bounded.
func word(r gjson.Result) string {
	if r.Type != gjson.String && r.Type != gjson.Number {
		return ""
	}
	s := r.String()
	if r.Type == gjson.Number {
		s = r.Raw
	}
	s = strings.Join(strings.Fields(strings.Map(visibleSpace, s)), " ")
	if len(s) > maxField {
		s = strings.ToValidUTF8(s[:maxField], "")
	}
	return s
}

func visibleSpace(r rune) rune {
	if lineBreak(r) {
		return ' '
	}
	return visible(r)
}

// whole number of a value that may be written as a string ("3", "[3]", "S3").
func number(r gjson.Result) (int, bool) {
	s := r.Raw
	if r.Type == gjson.String {
		s = strings.Trim(r.Str, " []()#sSegment-_")
	}
	if s == "" || len(s) > 9 {
		return 0, false
	}
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// numbers of a list, or of a single number in its place.
func numbers(r gjson.Result) []int {
	var out []int
	if !r.IsArray() {
		if n, ok := number(r); ok {
			out = append(out, n)
		}
		return out
	}
	r.ForEach(func(_, v gjson.Result) bool {
		if n, ok := number(v); ok {
			out = append(out, n)
		}
		return len(out) < maxObjects
	})
	return out
}

// strings of a list, or a single one in its place.
func list(r gjson.Result) []string {
	var out []string
	if !r.IsArray() {
		if w := word(r); w != "" {
			out = append(out, w)
		}
		return out
	}
	r.ForEach(func(_, v gjson.Result) bool {
		if w := word(v); w != "" {
			out = append(out, w)
		}
		return len(out) < 64
	})
	return out
}

// truth of a value that may be written as a word.
func truth(r gjson.Result) bool {
	if r.Type == gjson.String {
		switch strings.ToLower(r.Str) {
		case "true", "yes", "1":
			return true
		}
		return false
	}
	return r.Bool()
}
