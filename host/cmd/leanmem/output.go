package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/leanmem/leanmem/core"
)

// terminal reports whether w is a terminal.
func terminal(w io.Writer) bool {
	if c, ok := w.(*counted); ok {
		w = c.Writer
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// width is how many columns lines may take.
func width() int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n >= 40 {
		return n
	}
	return 110
}

// printJSON prints one line of JSON.
func (a *app) printJSON(v any) {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
}

// show prints a result: as JSON, or as people like it.
func (a *app) show(result any, human func()) error {
	if a.flags.json {
		a.printJSON(result)
	} else {
		human()
	}
	return nil
}

func (a *app) say(format string, args ...any) { fmt.Fprintf(a.out, format+"\n", args...) }

// inert is a stored text as a terminal may show it: control codes, which could
// paint over what stands there or rename the window, become visible or go.
func inert(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r):
			return -1
		case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069: // would turn the direction of what follows
			return -1
		}
		return r
	}, s)
}

// widestCell is the most that a column but the last takes on a screen.
const widestCell = 40

// cell is a stored text as a cell of a table.
func cell(s string) string {
	s = inert(s)
	if uniseg.StringWidth(s) <= widestCell {
		return s
	}
	return last(s, widestCell)
}

// note says something beside the result.
func (a *app) note(format string, args ...any) { fmt.Fprintf(a.errs, format+"\n", args...) }

// reports passes on what the engine had to say of its work.
func (a *app) reports(o core.Outcome) {
	for _, r := range o.Reports {
		a.note("note: %s", r)
	}
}

// table prints rows under a header (nil: without one), columns aligned by their width on a screen;
// the last column is cut to what the line holds.
func table(w io.Writer, header []string, rows [][]string) { columns(w, header, rows, width()) }

// wide is a table of figures, of which nothing is cut.
func wide(w io.Writer, header []string, rows [][]string) { columns(w, header, rows, 1<<20) }

func columns(w io.Writer, header []string, rows [][]string, most int) {
	var widths []int
	for _, row := range append([][]string{header}, rows...) {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(cell))
		}
	}
	line := func(row []string) {
		var b strings.Builder
		used := 0
		for i, cell := range row {
			if i == len(row)-1 {
				b.WriteString(last(cell, max(20, most-used)))
				break
			}
			b.WriteString(cell + strings.Repeat(" ", widths[i]-uniseg.StringWidth(cell)+2))
			used += widths[i] + 2
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	if header != nil {
		line(header)
	}
	for _, row := range rows {
		line(row)
	}
}

// clip cuts s to one line of at most n columns.
func clip(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if uniseg.StringWidth(s) <= n {
		return s
	}
	var b strings.Builder
	used := 0
	for g := uniseg.NewGraphemes(s); g.Next(); {
		if used += g.Width(); used > n-1 {
			break
		}
		b.WriteString(g.Str())
	}
	return strings.TrimRight(b.String(), " ") + "…"
}

// number writes n with thin groups: 12,345.
func number(n int) string {
	s := strconv.Itoa(n)
	if n < 0 {
		return "-" + number(-n)
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count writes "1 turn", "12 turns".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return number(n) + " " + noun + "s"
}

// last is the cell at the end of a line: on one line, and no longer than it
// may be; short ones keep their spaces.
func last(s string, n int) string {
	if !strings.ContainsAny(s, "\n\t") && uniseg.StringWidth(s) <= n {
		return s
	}
	return clip(s, n)
}
