package main

import "github.com/spf13/cobra"

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{Use: "demo", Short: "Watch a dialogue become memory", Args: none("demo"),
		RunE: working(func(cmd *cobra.Command, _ []string) error { return nil })}
}
