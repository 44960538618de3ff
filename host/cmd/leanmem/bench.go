package main

import "github.com/spf13/cobra"

func (a *app) benchCommand() *cobra.Command {
	return &cobra.Command{Use: "bench FILE…", Short: "Measure evidence on evaluation files",
		RunE: working(func(cmd *cobra.Command, _ []string) error { return nil })}
}
