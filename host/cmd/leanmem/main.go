// Command leanmem is a memory bank on the command line: every verb of the
// engine as a subcommand, over a store in a file, natively or in the plugin.
//
// It exits with 0 when the work was done, 1 when it failed, 2 when it was asked
// wrongly, and 130 when it was interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Exit codes.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal the second one ends the program at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the command without the process around it.
func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	result := &counted{Writer: out}
	a := &app{in: in, out: result, errs: errs}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(result)
	root.SetErr(errs)
	ran, err := root.ExecuteContextC(ctx)
	a.command = ran.CommandPath()
	if closing := a.close(err == nil); err == nil && closing != nil {
		err = failure{closing}
	}
	if err == nil && result.failed != nil {
		err = failure{fmt.Errorf("print the result: %w", result.failed)}
	}
	if err == nil {
		return 0
	}
	// Parsing ends at the first wrong flag; --json may stand behind it.
	a.flags.json = a.flags.json || wantsJSON(args)
	a.explain(err)
	switch {
	case errors.Is(err, errInterrupted) || ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, new(failure)):
		return exitFailure
	}
	return exitUsage
}

var errInterrupted = errors.New("interrupted")

func wantsJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}

// counted remembers that something could not be printed.
type counted struct {
	io.Writer
	failed error
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	if err != nil && c.failed == nil {
		c.failed = err
	}
	return n, err
}
