package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/leanmem/leanmem/core/effect"
)

func writeRequest(b *strings.Builder, r effect.Request) {
	fmt.Fprintf(b, "? %s", r.Op)
	if r.Op != effect.OpBanks && r.Bank != "" {
		fmt.Fprintf(b, " bank=%s", printable([]byte(r.Bank)))
	}
	switch r.Op {
	case effect.OpGet:
		for _, k := range r.Keys {
			fmt.Fprintf(b, " %s", printable(k))
		}
	case effect.OpScan:
		fmt.Fprintf(b, " prefix=%s after=%s limit=%d", printable(r.Prefix), printable(r.After), r.Limit)
	case effect.OpCommit:
		fmt.Fprintf(b, " expected=%s version=%s", dash(r.Expected), dash(r.Version))
		for _, w := range r.Writes {
			value := "deleted"
			if !w.Delete {
				value = digest(w.Value)
			}
			fmt.Fprintf(b, "\n  %s %s", printable(w.Key), value)
		}
	case effect.OpBanks:
		fmt.Fprintf(b, " after=%s limit=%d", printable([]byte(r.AfterBank)), r.Limit)
	case effect.OpProgress:
		fmt.Fprintf(b, " %s %d/%d", r.Progress.Stage, r.Progress.Done, r.Progress.Total)
	case effect.OpEmbed:
		fmt.Fprintf(b, " %s %d %s", r.Purpose, len(r.Texts), digest([]byte(strings.Join(r.Texts, "\x00"))))
	case effect.OpTag:
		fmt.Fprintf(b, " %d %s", len(r.Texts), digest([]byte(strings.Join(r.Texts, "\x00"))))
	case effect.OpComplete:
		for _, p := range r.Prompts {
			fmt.Fprintf(b, "\n  %s system=%s schema=%s:%s max_tokens=%d stream=%v", p.Stage, digest([]byte(p.System)),
				dash(p.SchemaName), digest(compact(p.Schema)), p.MaxTokens, p.Stream)
			writeText(b, p.User)
		}
	}
	b.WriteByte('\n')
}

func writeReply(b *strings.Builder, r effect.Request, reply effect.Reply) {
	b.WriteString("=")
	if reply.Err != nil {
		fmt.Fprintf(b, " error %s\n", marshal(reply.Err))
		return
	}
	switch r.Op {
	case effect.OpGet:
		fmt.Fprintf(b, " version=%s", dash(reply.Current))
		for _, v := range reply.Values {
			fmt.Fprintf(b, " %s", digest(v))
		}
	case effect.OpScan:
		fmt.Fprintf(b, " version=%s more=%v", dash(reply.Current), reply.More)
		for _, e := range reply.Entries {
			fmt.Fprintf(b, "\n  %s %s", printable(e.Key), digest(e.Value))
		}
	case effect.OpCommit:
		word := "ok"
		if reply.Conflict {
			word = "conflict"
		}
		fmt.Fprintf(b, " %s version=%s", word, dash(reply.Current))
	case effect.OpBanks:
		fmt.Fprintf(b, " more=%v", reply.More)
		for _, n := range reply.Banks {
			fmt.Fprintf(b, " %s", printable([]byte(n)))
		}
	case effect.OpEmbed:
		fmt.Fprintf(b, " %s %d×%d", reply.Vectors.Model, len(r.Texts), reply.Vectors.Dims)
	case effect.OpComplete:
		for _, c := range reply.Completions {
			if c.Err != nil {
				fmt.Fprintf(b, "\n  error %s", marshal(c.Err))
				continue
			}
			fmt.Fprintf(b, "\n  %s", c.Finish)
			writeText(b, c.Text)
		}
	}
	b.WriteByte('\n')
}

func writeText(b *strings.Builder, s string) {
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		b.WriteString(strings.TrimRight("\n  | "+line, " "))
	}
}

// writeResult writes what the call gave.
func writeResult(b *strings.Builder, out json.RawMessage, err error, brief bool) {
	switch {
	case err != nil:
		fmt.Fprintf(b, "! %s\n", marshal(effect.AsError(err)))
		return
	case brief:
		fmt.Fprintf(b, "< %s\n", digest(out))
		return
	}
	var pretty bytes.Buffer
	json.Indent(&pretty, out, "", "  ")
	fmt.Fprintf(b, "< %s\n", pretty.String())
}

// digest is the size of a value and the begin of its SHA-256; "-" when absent.
func digest(v []byte) string {
	if v == nil {
		return "-"
	}
	sum := sha256.Sum256(v)
	return fmt.Sprintf("%d:%x", len(v), sum[:4])
}

// printable writes bytes as they are, except blanks, backslashes and controls.
func printable(b []byte) string {
	if len(b) == 0 {
		return "-"
	}
	var out strings.Builder
	for _, r := range string(b) {
		if r <= ' ' || r == '\\' || r == 0x7f {
			fmt.Fprintf(&out, "\\x%02x", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func marshal(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// compact is a schema without blanks: on the wire they are gone.
func compact(raw json.RawMessage) []byte {
	if raw == nil {
		return nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return raw
	}
	return b.Bytes()
}
