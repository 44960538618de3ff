package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/leanmem/leanmem/core/effect"
)

// bar is one line on a terminal that tells how far long work has come. Without
// a terminal it says nothing.
type bar struct {
	w     io.Writer
	on    bool
	start time.Time

	mu          sync.Mutex
	label       string
	done, total int
	stage       string
	drawn       time.Time
	length      int
}

func newBar(w io.Writer, label string, total int) *bar {
	return &bar{w: w, on: terminal(w), start: time.Now(), label: label, total: total}
}

// set moves the bar.
func (b *bar) set(done int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done, b.stage = done, ""
	b.draw(false)
}

// at tells what is being done within the current step.
func (b *bar) at(stage string, done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stage = stage
	if total > 0 {
		b.stage = fmt.Sprintf("%s %d/%d", stage, done, total)
	}
	b.draw(false)
}

const barWidth = 24

func (b *bar) draw(always bool) {
	// Ten times a second is as often as anyone looks.
	if !b.on || !always && time.Since(b.drawn) < 100*time.Millisecond {
		return
	}
	b.drawn = time.Now()
	line := fmt.Sprintf("%s %s", b.label, number(b.done))
	if b.total > 0 {
		full := min(barWidth, barWidth*b.done/b.total)
		line = fmt.Sprintf("%s %s%s %s/%s", b.label, strings.Repeat("█", full), strings.Repeat("░", barWidth-full), number(b.done), number(b.total))
		if spent := time.Since(b.start); b.done > 0 && b.done < b.total && spent > 2*time.Second {
			left := time.Duration(float64(spent) * float64(b.total-b.done) / float64(b.done))
			line += " · " + left.Round(time.Second).String() + " left"
		}
	}
	if b.stage != "" {
		line += " · " + b.stage
	}
	n := len([]rune(line))
	fmt.Fprintf(b.w, "\r%s%s", line, strings.Repeat(" ", max(0, b.length-n)))
	b.length = n
}

// clear takes the bar off the screen.
func (b *bar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.on && b.length > 0 {
		fmt.Fprintf(b.w, "\r%s\r", strings.Repeat(" ", b.length))
		b.length = 0
	}
}

// progress is what the engine calls during long work. An error would cancel it.
func (a *app) progress(ctx context.Context, p effect.Progress) error {
	if a.bar != nil {
		a.bar.at(p.Stage, p.Done, p.Total)
	}
	return ctx.Err()
}
