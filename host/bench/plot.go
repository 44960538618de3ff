package bench

import (
	"fmt"
	"math"
	"strings"
)

// Plot is recall against tokens, ready to be drawn.
type Plot struct {
	Width, Height            int
	Left, Right, Top, Bottom float64 // of the field
	XTicks, YTicks           []Tick
	Lines                    []Line
	What                     string // what is recalled
}

// Tick is a mark on an axis.
type Tick struct {
	At    float64
	Label string
}

// Line is one method: a curve over budgets, or a single point.
type Line struct {
	Name, Path     string
	Class          string // colour
	Points         []Point
	LabelX, LabelY float64
}

// Point is one measured point with what it says when pointed at.
type Point struct {
	X, Y  float64
	Title string
}

const (
	plotWidth, plotHeight = 860, 420
	plotLeft, plotRight   = 56.0, 700.0
	plotTop, plotBottom   = 16.0, 370.0
	labelGap              = 15.0
	smallestTokens        = 200.0
)

// NewPlot draws leanmem and the baselines; ablations would only blur it.
func NewPlot(s Summary) Plot {
	p := Plot{Width: plotWidth, Height: plotHeight, Left: plotLeft, Right: plotRight, Top: plotTop, Bottom: plotBottom, What: s.Curve}
	most := 3200.0
	for _, r := range s.Rows {
		for _, c := range r.Cells {
			if r.Group == Whole || r.Group == Baseline {
				most = math.Max(most, c.Tokens*1.1)
			}
		}
	}
	x := func(t float64) float64 {
		t = math.Max(t, smallestTokens)
		return tenth(plotLeft + (plotRight-plotLeft)*math.Log(t/smallestTokens)/math.Log(most/smallestTokens))
	}
	y := func(v float64) float64 { return tenth(plotBottom - (plotBottom-plotTop)*v) }
	for _, t := range []float64{200, 500, 1000, 2000, 3000, 5000, 10000, 20000, 50000, 100000, 200000} {
		if t <= most {
			p.XTicks = append(p.XTicks, Tick{x(t), fmt.Sprintf("%.0f", t)})
		}
	}
	for v := 0; v <= 100; v += 20 {
		p.YTicks = append(p.YTicks, Tick{y(float64(v) / 100), fmt.Sprintf("%d %%", v)})
	}
	for _, r := range s.Rows {
		if r.Group != Whole && r.Group != Baseline {
			continue
		}
		if l, ok := lineOf(s, r, x, y); ok {
			l.Class = fmt.Sprintf("c%d", len(p.Lines)%6)
			p.Lines = append(p.Lines, l)
		}
	}
	spreadLabels(p.Lines)
	return p
}

func tenth(v float64) float64 { return math.Round(v*10) / 10 }

func lineOf(s Summary, r Row, x, y func(float64) float64) (Line, bool) {
	l := Line{Name: r.Method}
	var path []string
	for _, c := range r.Cells {
		m := s.Recall(c)
		if m.N == 0 {
			continue
		}
		pt := Point{x(c.Tokens), y(m.Mean), fmt.Sprintf("%s: %.1f %% at %.0f tokens", r.Method, 100*m.Mean, c.Tokens)}
		l.Points = append(l.Points, pt)
		path = append(path, fmt.Sprintf("%.1f,%.1f", pt.X, pt.Y))
	}
	if len(l.Points) == 0 {
		return l, false
	}
	if len(path) > 1 {
		l.Path = strings.Join(path, " ")
	}
	last := l.Points[len(l.Points)-1]
	l.LabelX, l.LabelY = last.X+9, last.Y+4
	return l, true
}

// spreadLabels moves labels apart that would stand on each other.
func spreadLabels(lines []Line) {
	for range 50 {
		moved := false
		for i := range lines {
			for j := range i {
				a, b := &lines[j], &lines[i]
				if math.Abs(a.LabelX-b.LabelX) > 120 || math.Abs(a.LabelY-b.LabelY) >= labelGap {
					continue
				}
				up, down := a, b
				if a.LabelY > b.LabelY {
					up, down = b, a
				}
				shift := (labelGap-(down.LabelY-up.LabelY))/2 + 0.1
				up.LabelY, down.LabelY, moved = tenth(up.LabelY-shift), tenth(down.LabelY+shift), true
			}
		}
		if !moved {
			return
		}
	}
}
