package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/leanmem/leanmem/core/effect"
)

// call is one call of a transcript, with what was written above it.
type call struct {
	head     []string // comment, settings, script and request lines, as they stand
	defaults map[string]any
	script   []scriptLine
	verb     string
	brief    bool // the result is written as its digest
	request  map[string]any
	output   string // the lines that the call makes
}

// scriptLine is what the world answers once instead of its own reply.
type scriptLine struct {
	op    string // an effect, or the stage of a prompt
	text  string // of a completion
	stop  string // its finish reason
	err   *effect.Error
	after int // requests of the effect that come before
}

// read reads a transcript.
func read(text string) (*Flow, error) {
	f := &Flow{}
	defaults := map[string]any{}
	c := &call{}
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if c.verb != "" && !isOutput(line) && line != "" {
			f.calls = append(f.calls, c)
			c = &call{}
		}
		if err := c.read(line, &defaults); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	if c.verb == "" {
		f.tail = c.head
		return f, nil
	}
	f.calls = append(f.calls, c)
	return f, nil
}

// isOutput reports a line that a call makes.
func isOutput(line string) bool {
	return line != "" && strings.ContainsRune("?=<! }", rune(line[0]))
}

func (c *call) read(line string, defaults *map[string]any) error {
	rest := ""
	if len(line) > 2 {
		rest = line[2:]
	}
	switch {
	case line == "":
		return nil
	case isOutput(line):
		if c.verb == "" {
			return fmt.Errorf("output without a call above it")
		}
		c.output += line + "\n"
		return nil
	case line[0] == '|': // belongs to the script line above
		if len(c.script) == 0 {
			return fmt.Errorf("text without a script line above it")
		}
		last := &c.script[len(c.script)-1]
		if last.text != "" {
			last.text += "\n"
		}
		last.text += rest
	case line[0] == '#':
	case line[0] == '@':
		*defaults = map[string]any{}
		if err := decode([]byte(rest), defaults); err != nil {
			return err
		}
	case line[0] == '%':
		s, err := readScript(rest)
		if err != nil {
			return err
		}
		c.script = append(c.script, s)
	case line[0] == '>':
		rest, c.brief = strings.CutPrefix(line[1:], ">")
		verb, request, _ := strings.Cut(strings.TrimSpace(rest), " ")
		c.verb, c.defaults = verb, *defaults
		if request == "" {
			request = "{}"
		}
		if err := decode([]byte(request), &c.request); err != nil {
			return err
		}
	default:
		return fmt.Errorf("a line begins with %q", line[0])
	}
	c.head = append(c.head, line)
	return nil
}

// readScript reads "OP [after=N] [finish=WORD] [error JSON]".
func readScript(s string) (scriptLine, error) {
	var out scriptLine
	fields, failure, failed := strings.Cut(s, " error ")
	if failed {
		out.err = &effect.Error{}
		if err := json.Unmarshal([]byte(failure), out.err); err != nil {
			return out, err
		}
	}
	for i, f := range strings.Fields(fields) {
		key, value, _ := strings.Cut(f, "=")
		var err error
		switch {
		case i == 0:
			out.op = f
		case key == "after":
			out.after, err = strconv.Atoi(value)
		case key == "finish":
			out.stop = value
		default:
			err = fmt.Errorf("script: unknown setting %q", f)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

func decode(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(into)
}
