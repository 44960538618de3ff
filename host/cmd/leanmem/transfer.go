package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/host/internal/plainjson"
)

// pageLines is how many lines of an export travel at once.
const pageLines = 500

func (a *app) exportCommand() *cobra.Command {
	return &cobra.Command{
		Use: "export [FILE]", Short: "Write a bank as JSON lines",
		Long: "Writes a bank as JSON lines in canonical order, to FILE or standard output: banks\nwith the same content give the same bytes. 'import' reads them.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("export takes one file; got %d", len(args))
			}
			return nil
		},
		RunE: working(func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] != "-" {
				if err := checkOutput(args[0]); err != nil {
					return err
				}
			}
			if err := a.open(cmd.Context(), reading); err != nil {
				return err
			}
			if len(args) == 0 || args[0] == "-" {
				_, err := a.export(cmd.Context(), a.out)
				return err
			}
			return a.exportFile(cmd.Context(), args[0])
		}),
	}
}

// checkOutput refuses a name under which no file can be written.
func checkOutput(path string) error {
	if path == "" {
		return usagef("the name of the file is empty")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return usagef("%s is a folder; name a file in it", path)
	}
	if dir := filepath.Dir(path); !isDir(dir) {
		return usagef("there is no folder %s", dir)
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// exportFile writes beside the file and renames, so that an export that breaks
// off leaves an older one whole.
func (a *app) exportFile(ctx context.Context, path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".export-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	n, err := a.export(ctx, f)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("export to %s: %w", path, err)
	}
	a.note("wrote %s to %s", count(n, "line"), path)
	return nil
}

func (a *app) export(ctx context.Context, w io.Writer) (int, error) {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	r := core.ExportRequest{Call: a.call(), Limit: pageLines}
	n := 0
	for {
		page, err := a.host.Export(ctx, r)
		if err != nil {
			return n, err
		}
		for _, line := range page.Lines {
			if err := enc.Encode(line); err != nil {
				return n, err
			}
			n++
		}
		if page.Next == "" {
			return n, out.Flush()
		}
		r.After = page.Next
	}
}

func (a *app) importCommand() *cobra.Command {
	return &cobra.Command{
		Use: "import FILE", Short: "Read what export wrote, - for standard input", Args: exactly("import", "one file", 1),
		RunE: working(func(cmd *cobra.Command, args []string) error {
			in, _, err := a.input(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer in.Close()
			if err := a.open(cmd.Context(), creating); err != nil {
				return err
			}
			total, err := a.importAll(cmd.Context(), shown(args[0]), in)
			if err != nil {
				if n := total.Turns + total.Memories + total.Known; n > 0 || mayPass(err) {
					a.note("Stopped after %s. %s", entries(n), again(err))
				}
				return err
			}
			return a.show(total, func() {
				a.say("imported %s and %s to bank %q; %s known already", count(total.Turns, "turn"), memories(total.Memories), a.flags.bank, number(total.Known))
			})
		}),
	}
}

func (a *app) importAll(ctx context.Context, name string, r io.Reader) (core.ImportResult, error) {
	var total core.ImportResult
	var lines []core.ExportLine
	a.bar = newBar(a.errs, "importing", 0)
	defer a.bar.clear()
	read, size := 0, 0
	send := func() error {
		if len(lines) == 0 {
			return nil
		}
		page, err := a.host.Import(ctx, core.ImportRequest{Call: a.call(), Lines: lines})
		if err != nil {
			return err
		}
		total.Outcome = page.Outcome
		total.Turns += page.Turns
		total.Memories += page.Memories
		total.Known += page.Known
		lines, size = nil, 0
		a.bar.set(read)
		return nil
	}
	for dec := json.NewDecoder(bufio.NewReader(r)); ; {
		var line core.ExportLine
		before := dec.InputOffset()
		err := dec.Decode(&line)
		if errors.Is(err, io.EOF) && read > 0 {
			return total, send()
		}
		if errors.Is(err, io.EOF) {
			return total, inFile(name, errors.New("it is empty"))
		}
		if err != nil {
			return total, inFile(name, fmt.Errorf("line %d is not what export writes: %w", read+1, plainjson.Explain(err)))
		}
		read++
		if err := core.CheckLine(line); err != nil {
			return total, inFile(name, fmt.Errorf("line %d is not what export writes: %w", read, err))
		}
		lines = append(lines, line)
		if size += int(dec.InputOffset() - before); len(lines) >= pageLines || size >= batchBytes {
			if err := send(); err != nil {
				return total, err
			}
		}
	}
}
