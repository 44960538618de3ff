// Package tokens counts tokens exactly, with the vocabulary o200k_base. Core
// only estimates, on the safe side, because it carries no vocabulary; whatever
// a host reports to a person is counted here.
package tokens

import (
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// codec builds its tables of 200,000 merges once, when they are first needed.
var codec = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

// Count gives the number of o200k_base tokens of s. Text in the form of a
// special token counts as the plain text that it is.
func Count(s string) int {
	c, err := codec()
	if err != nil {
		panic("tokens: the embedded vocabulary o200k_base does not load: " + err.Error())
	}
	n, err := c.Count(s)
	if err != nil { // no text is refused; were it, an estimate is better than nothing
		return len(s)
	}
	return n
}

// Cut gives the longest prefix of s, cut between tokens, that has at most
// budget tokens.
func Cut(s string, budget int) string {
	if budget <= 0 {
		return ""
	}
	c, err := codec()
	if err != nil {
		panic("tokens: the embedded vocabulary o200k_base does not load: " + err.Error())
	}
	ids, _, err := c.Encode(s)
	if err != nil || len(ids) <= budget {
		return s
	}
	head, err := c.Decode(ids[:budget])
	if err != nil || len(head) > len(s) || s[:len(head)] != head {
		return s[:min(len(s), budget)]
	}
	return head
}
