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

	"github.com/leanmem/leanmem/core/effect"
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
	a := &app{in: in, out: out, errs: errs}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	ran, err := root.ExecuteContextC(ctx)
	a.command = ran.CommandPath()
	if closing := a.close(err == nil); err == nil {
		err = closing
	}
	if err == nil {
		return 0
	}
	a.explain(err)
	var failed failure
	switch {
	case errors.Is(err, errInterrupted) || ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &failed):
		return exitFailure
	}
	return exitUsage
}

// failure marks what went wrong while working; every other error is a wrong
// way of asking.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// usageError is a wrong way of asking that shows only while working.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

var errInterrupted = errors.New("interrupted")

// explain says what went wrong, and where there is one, a way out.
func (a *app) explain(err error) {
	if errors.Is(err, errUnsound) {
		return
	}
	if a.flags.json {
		a.printJSON(map[string]any{"error": effect.AsError(unwrapped(err))})
	}
	e := effect.AsError(unwrapped(err))
	if errors.As(err, new(failure)) {
		fmt.Fprintf(a.errs, "leanmem: %s\n", e.Message)
	} else {
		fmt.Fprintf(a.errs, "leanmem: %v\n", unwrapped(err))
	}
	if hint := hints[e.Code]; hint != "" && errors.As(err, new(failure)) {
		fmt.Fprintf(a.errs, "  %s\n", hint)
	}
	if a.command != "" && !errors.As(err, new(failure)) {
		fmt.Fprintf(a.errs, "See '%s --help'.\n", a.command)
	}
}

func unwrapped(err error) error {
	var f failure
	if errors.As(err, &f) {
		return f.error
	}
	return err
}

var hints = map[effect.Code]string{
	effect.BankNotFound:     "'leanmem banks' lists the banks of a store; 'add' makes a new one.",
	effect.EmbedderMismatch: "'leanmem reindex' makes the vectors of the bank anew.",
	effect.Unauthorized:     "Check the key in the variable that --llm-key-env or --embed-key-env names.",
	effect.StoreCorrupt:     "'leanmem doctor' says what is damaged and how to go on.",
	effect.FormatTooNew:     "A newer leanmem wrote it: use that one. Nothing was changed.",
	effect.StoreFull:        "Free some space and run the same command again: what was stored is kept.",
}
