package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/host/dialogue"
)

// source is where an add takes its sessions from.
type source struct {
	each     func(yield func(core.InputSession, error) bool)
	turns    int // when known
	warnings []string
	close    func()
}

func (a *app) source(ctx context.Context, f addFlags, args []string) (*source, error) {
	if f.text != "" {
		return spoken(f, a.now)
	}
	if f.format != "" {
		if _, err := dialogue.ParseFormat(f.format); err != nil {
			return nil, usageError{err.Error()}
		}
	}
	path := args[0]
	in, size, err := a.input(ctx, path)
	if err != nil {
		return nil, err
	}
	src := &source{close: func() { in.Close() }}
	whole := size >= 0 && size <= wholeFile
	buffered := bufio.NewReaderSize(in, 64<<10)
	format, err := f.formatOf(path, buffered)
	if err != nil {
		src.close()
		return nil, err
	}
	o := dialogue.Options{Name: f.session, Question: f.question, Sample: f.sample, Speaker: f.speaker, Lenient: f.skipBad}
	if o.Name == "" && path != "-" {
		o.Name = dialogue.Name(path)
	}
	sessions := dialogue.Sessions(buffered, format, o, func(w string) { src.warnings = append(src.warnings, w) })
	src.each = func(yield func(core.InputSession, error) bool) {
		for s, err := range sessions {
			if err != nil {
				err = inFile(shown(path), advised(err))
			}
			if !yield(s, err) {
				return
			}
		}
	}
	if whole {
		return src, src.readAhead()
	}
	return src, nil
}

// input opens what an argument names; size is -1 where it is not known.
func (a *app) input(ctx context.Context, path string) (in io.ReadCloser, size int64, err error) {
	switch path {
	case "-":
		return io.NopCloser(&interruptible{ctx: ctx, in: a.in}), -1, nil
	case "":
		return nil, 0, usagef("the name of the file is empty")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		file.Close()
		return nil, 0, err
	case info.IsDir():
		file.Close()
		return nil, 0, usagef("%s is a folder; name a file in it", path)
	case !info.Mode().IsRegular(): // a pipe, which may keep its reader waiting
		return struct {
			io.Reader
			io.Closer
		}{&interruptible{ctx: ctx, in: file}, file}, -1, nil
	}
	return file, info.Size(), nil
}

// interruptible is an input on which nobody waits once the command was
// interrupted: a read that blocks cannot be called back, so it is left behind.
type interruptible struct {
	ctx  context.Context
	in   io.Reader
	came chan int // bytes of buf, from the read under way
	buf  []byte
	err  error
}

func (r *interruptible) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err // the read that was left behind may still be waiting
	}
	if r.came == nil {
		r.came, r.buf = make(chan int, 1), make([]byte, 64<<10)
	}
	go func(p []byte) {
		n, err := r.in.Read(p)
		r.err = err
		r.came <- n
	}(r.buf[:min(len(r.buf), len(p))])
	select {
	case n := <-r.came:
		return copy(p, r.buf[:n]), r.err
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
}

// shown is a path in a message.
func shown(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// formatOf is the format that the flags name, or the one that the first bytes
// show. Of a stream, it looks at what has arrived.
func (f addFlags) formatOf(path string, in *bufio.Reader) (dialogue.Format, error) {
	format := dialogue.Format(f.format)
	if format == "" {
		if _, err := in.Peek(1); err != nil && !errors.Is(err, io.EOF) {
			return "", inFile(shown(path), err)
		}
		head, _ := in.Peek(in.Buffered())
		var err error
		if format, err = dialogue.SniffBytes(head, dialogue.Lines(path)); err != nil {
			return "", inFile(shown(path), err)
		}
	}
	switch {
	case f.question != "" && format != dialogue.LongMemEval:
		return "", usagef("--question goes with longmemeval files; this one is %s", format)
	case f.sample != "" && format != dialogue.LoCoMo:
		return "", usagef("--conversation goes with locomo files; this one is %s", format)
	}
	return format, nil
}

// advised adds the way out that the flags offer.
func advised(err error) error {
	switch {
	case errors.Is(err, dialogue.ErrNobody):
		return fmt.Errorf("%w; --speaker NAME says who is meant by that, --skip-bad passes such turns over", err)
	case dialogue.Refused(err):
		return fmt.Errorf("%w; --skip-bad passes such turns over", err)
	case errors.Is(err, dialogue.ErrSeveral):
		return fmt.Errorf("%w with --conversation", err)
	}
	return err
}

// readAhead reads all sessions, so that their number is known and nothing is
// stored of a file that breaks off.
func (s *source) readAhead() error {
	var all []core.InputSession
	for one, err := range s.each {
		if err != nil {
			s.close()
			return err
		}
		all = append(all, one)
		s.turns += len(one.Turns)
	}
	s.each = func(yield func(core.InputSession, error) bool) {
		for _, one := range all {
			if !yield(one, nil) {
				return
			}
		}
	}
	return nil
}

// spoken is the source of --text.
func spoken(f addFlags, now time.Time) (*source, error) {
	at, err := parseTime("--time", f.at)
	if err != nil {
		return nil, err
	}
	if at.IsZero() {
		at = now
	}
	if f.speaker == "" && f.role == "" {
		return nil, usagef("--text needs --speaker or --role, so that it is known whose words they are")
	}
	t := core.InputTurn{Speaker: f.speaker, Role: mem.Role(f.role), Text: f.text, Time: f.at}
	if t.Time == "" {
		t.Time = now.Format(time.RFC3339)
	}
	session := core.InputSession{ID: f.session, Turns: []core.InputTurn{t}, Close: true}
	if session.ID == "" {
		session.ID = at.Format(time.DateOnly)
	}
	if err := core.CheckTurn(session, t); err != nil {
		return nil, usagef("--text: %s", effect.AsError(err).Message)
	}
	each := func(yield func(core.InputSession, error) bool) { yield(session, nil) }
	return &source{each: each, turns: 1, close: func() {}}, nil
}
