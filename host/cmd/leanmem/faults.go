package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/leanmem/leanmem/core/effect"
)

// failure marks what went wrong while working; every other error is a wrong
// way of asking.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// usageError is a wrong way of asking that shows only while working.
type usageError struct{ message string }

func (e usageError) Error() string { return e.message }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// explain says what went wrong, and where there is one, a way out.
func (a *app) explain(err error) {
	if errors.Is(err, errUnsound) || errors.Is(err, syscall.EPIPE) {
		return // it was shown, or nobody reads
	}
	working := errors.As(err, new(failure))
	e := coded(err)
	if a.flags.json {
		a.printJSON(map[string]any{"error": e})
	}
	fmt.Fprintf(a.errs, "leanmem: %s\n", inert(e.Message))
	if hint := hints[e.Code]; working && hint != "" {
		fmt.Fprintf(a.errs, "  %s\n", hint)
	}
	if a.command != "" && !working {
		fmt.Fprintf(a.errs, "See '%s --help'.\n", a.command)
	}
}

// coded gives an error its code: those of the engine and the stores have one.
func coded(err error) *effect.Error {
	var f failure
	working := errors.As(err, &f)
	if working {
		err = f.error
	}
	e := effect.AsError(err)
	if e.Code != effect.Internal {
		return e
	}
	code := effect.Internal
	switch {
	case errors.Is(err, context.Canceled):
		code = effect.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		code = effect.Deadline
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		code = effect.StoreFull
	case !working, errors.As(err, new(*fs.PathError)), errors.As(err, new(*os.LinkError)):
		code = effect.InvalidArgument // a flag, or a file that the person named
	}
	return &effect.Error{Code: code, Message: e.Message}
}

// inFile is an error about what stands in a file that the person named.
func inFile(path string, err error) error {
	if errors.As(err, new(*fs.PathError)) {
		return err // names the file itself
	}
	if errors.Is(err, context.Canceled) {
		return effect.Errorf(effect.Canceled, "%s: reading was interrupted", path)
	}
	e := *effect.AsError(fmt.Errorf("%s: %w", path, err))
	if e.Code == effect.Internal {
		e.Code = effect.InvalidArgument
	}
	return &e
}

// mayPass reports whether the same command has a chance when it is run again.
func mayPass(err error) bool {
	e := coded(err)
	return e.Retryable || slices.Contains([]effect.Code{
		effect.Canceled, effect.Deadline, effect.Conflict, effect.StoreFull, effect.StoreFailed, effect.Busy, effect.RateLimited,
		effect.ModelFailed, effect.ModelTimeout, effect.EmbedFailed, effect.TagFailed, effect.LimitReached,
	}, e.Code)
}

// again says when the same command goes on.
func again(err error) string {
	if mayPass(err) {
		return "Run the same command again and it goes on."
	}
	return "Once that is mended, the same command goes on."
}

var hints = map[effect.Code]string{
	effect.BankNotFound:     "'leanmem banks' lists the banks of a store; 'add' makes a new one.",
	effect.EmbedderMismatch: "'leanmem reindex' makes the vectors of the bank anew.",
	effect.Unauthorized:     "Check the key in the variable that --llm-key-env or --embed-key-env names.",
	effect.StoreCorrupt:     "'leanmem doctor' says what is damaged and how to go on.",
	effect.FormatTooNew:     "A newer leanmem wrote it: use that one. Nothing was changed.",
	effect.StoreFull:        "Free some space and run the same command again: what was stored is kept.",
}

// wrongFlag words what pflag says of a flag, without Go's parsers.
func wrongFlag(_ *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if !errors.As(err, &value) {
		return err
	}
	what := map[string]string{
		"int": "a whole number", "intSlice": "whole numbers, separated by commas", "float64": "a number",
		"duration": "a time span such as 90s or 5m", "bool": "true or false",
	}[value.GetFlag().Value.Type()]
	if what == "" {
		return err
	}
	return usagef("--%s takes %s; got %.40q", value.GetFlag().Name, what, value.GetValue())
}
