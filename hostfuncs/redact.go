package hostfuncs

import (
	"strings"
	"unicode/utf8"
)

// quoted is how long a run of bytes that an error shares with a text may be
// before it counts as a quotation. Names of eight bytes and more are masked;
// words as short as "error" stay readable.
const quoted = 8

// shortest is the length of a text below which nothing is masked: it would only
// make every message unreadable.
const shortest = 4

// maxMessage bounds a provider's message, in bytes.
const maxMessage = 300

// Redact returns a provider's message fit to be shown: short, on one line, and
// with every run masked that quotes one of the texts, so that a server that
// echoes a prompt does not put it into a log.
func Redact(message string, texts ...string) string {
	message = strings.Join(strings.Fields(strings.ToValidUTF8(message, "�")), " ")
	if len(message) > maxMessage {
		cut := maxMessage
		for !utf8.RuneStart(message[cut]) {
			cut--
		}
		message = message[:cut] + "…"
	}
	mask := make([]bool, len(message))
	for _, text := range texts {
		maskQuotes(mask, message, text)
	}
	var out strings.Builder
	for i, r := range message {
		switch {
		case !mask[i]:
			out.WriteRune(r)
		case i == 0 || !mask[i-1]:
			out.WriteString("…")
		}
	}
	return out.String()
}

func maskQuotes(mask []bool, message, text string) {
	// A server may quote a text with its spaces collapsed or as a JSON string.
	text = strings.Join(strings.Fields(text), " ")
	if len(text) < shortest {
		return
	}
	n := min(quoted, len(text))
	for i := 0; i+n <= len(message); i++ {
		if !strings.Contains(text, message[i:i+n]) {
			continue
		}
		from, to := i, i+n
		for from > 0 && !utf8.RuneStart(message[from]) {
			from--
		}
		for to < len(message) && !utf8.RuneStart(message[to]) {
			to++
		}
		for j := from; j < to; j++ {
			mask[j] = true
		}
	}
}
