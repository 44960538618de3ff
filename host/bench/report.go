package bench

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
)

//go:embed report.html
var reportPage string

var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"percent": Percent, "interval": percentInterval, "whole": func(v float64) string { return fmt.Sprintf("%.0f", v) },
	"main": mainCell, "optional": optional, "ms": func(v float64) string { return fmt.Sprintf("%.2f", v) },
	"category": func(c Cell, name string) Measure { return c.ByCategory[name] },
	"better":   func(m *Measure) bool { return m != nil && m.Interval.Low > 0 },
	"worse":    func(m *Measure) bool { return m != nil && m.Interval.High < 0 },
}).Parse(reportPage))

// WriteHTML writes the report: one file that needs no network, readable in
// light and dark.
func WriteHTML(w io.Writer, s Summary, title string) error {
	data := struct {
		Summary
		Title string
		Plot  Plot
	}{s, title, NewPlot(s)}
	if err := page.Execute(w, data); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// Percent prints a measure as a percentage, a dash where it applies to nothing.
func Percent(m Measure) string {
	if m.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*m.Mean)
}

func percentInterval(i Interval) string {
	if math.IsNaN(i.Low) {
		return ""
	}
	return fmt.Sprintf("%+.1f … %+.1f", 100*i.Low, 100*i.High)
}

func optional(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", *v)
}

// mainCell is the cell of a row at the main budget, or its only one.
func mainCell(s Summary, r Row) Cell { return r.At(s.Main) }

// At gives the cell at a budget; the only one of a method of its own size.
func (r Row) At(budget int) Cell {
	for _, c := range r.Cells {
		if c.Budget == budget {
			return c
		}
	}
	if len(r.Cells) > 0 {
		return r.Cells[0]
	}
	return Cell{}
}
