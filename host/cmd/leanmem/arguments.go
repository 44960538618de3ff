package main

import "github.com/spf13/cobra"

// Argument checks that say what is wanted in a person's words.

func none(verb string) cobra.PositionalArgs { return exactly(verb, "no argument", 0) }

func exactly(verb, what string, n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s takes %s; got %d", verb, what, len(args))
		}
		return nil
	}
}

func some(verb, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s needs %s", verb, what)
		}
		return nil
	}
}
