package main

import (
	"context"
	"errors"
	"path/filepath"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/bank"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/buntdb"
)

func (a *app) dropCommand() *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use: "drop", Short: "Remove a bank with all that it holds", Args: none("drop"),
		RunE: working(func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("bank") && env("LEANMEM_BANK", "") == "" {
				return usagef("drop needs --bank, so that the wrong one is not removed by default")
			}
			if !yes {
				return usagef("drop removes the bank %q for good: say --yes if you mean it", a.flags.bank)
			}
			if err := a.open(cmd.Context(), changing); err != nil {
				return err
			}
			r, err := a.host.Drop(cmd.Context(), a.call())
			if effect.HasCode(err, effect.StoreCorrupt) || effect.HasCode(err, effect.FormatTooNew) {
				// What cannot be read can still be removed.
				r, err = core.Outcome{Bank: a.flags.bank}, a.store.DropBank(cmd.Context(), a.flags.bank)
			}
			if err != nil {
				return err
			}
			return a.show(r, func() { a.say("removed bank %q", a.flags.bank) })
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "really")
	return cmd
}

func (a *app) renameCommand() *cobra.Command {
	return &cobra.Command{
		Use: "rename BANK NAME", Short: "Give a bank another name", Args: exactly("rename", "a bank and its new name", 2),
		RunE: working(func(cmd *cobra.Command, args []string) error {
			if !utf8.ValidString(args[1]) {
				return usagef("the new name is not valid UTF-8")
			}
			if err := a.open(cmd.Context(), changing); err != nil {
				return err
			}
			if err := a.store.RenameBank(cmd.Context(), args[0], args[1]); err != nil {
				return err
			}
			return a.show(core.Outcome{Bank: args[1]}, func() { a.say("bank %q is now %q", args[0], args[1]) })
		}),
	}
}

const backupHelp = `Writes a store file with one consistent state of all banks, while the store may
be in use by this or another process. FILE must not exist; it can be used as a
store as it is. PostgreSQL and Redis have tools of their own for this; 'export'
writes one bank of any store.`

func (a *app) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Copy the store's file while it is in use", Long: backupHelp, Args: exactly("backup", "one file", 1),
		RunE: working(func(cmd *cobra.Command, args []string) error {
			path, ok := a.file()
			if !ok {
				return usagef("backup copies the file of a buntdb: store; use pg_dump or redis-cli --rdb for a server, or 'export' for a bank")
			}
			if err := checkFile(path, false); err != nil {
				return err
			}
			if err := checkOutput(args[0]); err != nil {
				return err
			}
			r, err := buntdb.BackupFile(cmd.Context(), path, args[0])
			if err != nil {
				return err
			}
			result := map[string]any{"file": args[0], "banks": r.Banks, "entries": r.Entries}
			return a.show(result, func() { a.say("%s in %s", count(r.Banks, "bank"), args[0]) })
		}),
	}
}

// examined is what doctor prints.
type examined struct {
	File  *buntdb.Report `json:"file,omitempty"`
	Banks []patient      `json:"banks"`
	Sound bool           `json:"sound"`
}

type patient struct {
	Name string `json:"name"`
	*bank.Report
}

// errUnsound makes doctor's exit code a failure; what is wrong was shown.
var errUnsound = errors.New("the store is not sound")

const doctorHelp = `Checks the store: of a file, every record and checksum; then of every bank (or of
the one that --bank names), its manifest, and every block by decoding all that
is in it. Nothing is changed without --repair.

--repair gives up what is damaged in the file and keeps the file as found beside
it. A bank whose blocks are damaged is not repaired: bring it back from a backup
or an export, or remove it with 'drop'. A torn last commit, as a crash leaves it,
was never acknowledged; every command cuts it off by itself.`

func (a *app) doctorCommand() *cobra.Command {
	repair := false
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check the store and every bank in it, and repair its file", Long: doctorHelp, Args: none("doctor"),
		RunE: working(func(cmd *cobra.Command, _ []string) error {
			r := examined{Sound: true, Banks: []patient{}}
			if err := a.examineFile(&r, repair); err != nil {
				return err
			}
			var err error
			if r.File == nil || r.Sound {
				err = a.examineBanks(cmd.Context(), &r, cmd.Flags().Changed("bank"))
			}
			if err != nil {
				return err
			}
			if err := a.show(r, func() { a.showExamined(r) }); err != nil || r.Sound {
				return err
			}
			return errUnsound
		}),
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "give up what is damaged in the file; it is kept beside")
	return cmd
}

// examineFile checks the file before anything opens it, and repairs it if that
// is wanted.
func (a *app) examineFile(r *examined, repair bool) error {
	path, ok := a.file()
	if !ok {
		return nil
	}
	if err := checkFile(path, false); err != nil {
		return err
	}
	report, err := buntdb.Check(path)
	if err == nil && !report.Sound() && repair {
		report, err = buntdb.Repair(path)
		r.File = &report
		return err
	}
	r.File, r.Sound = &report, report.Sound()
	return err
}

func (a *app) examineBanks(ctx context.Context, r *examined, one bool) error {
	store, err := a.openStore(ctx, reading)
	if err != nil {
		return err
	}
	a.store = store
	names := []string{a.flags.bank}
	if !one {
		if names, err = allBanks(ctx, store); err != nil {
			return err
		}
	}
	port := hostfuncs.Port(hostfuncs.Set{Store: store}, hostfuncs.Options{})
	for _, name := range names {
		found, err := bank.Check(ctx, effect.Client{Port: port, Bank: name})
		if effect.HasCode(err, effect.BankNotFound) && !one {
			continue // it went meanwhile
		}
		if err != nil {
			return err
		}
		r.Banks = append(r.Banks, patient{name, found})
		r.Sound = r.Sound && len(found.Faults) == 0
	}
	return nil
}

func allBanks(ctx context.Context, s hostfuncs.Store) (names []string, err error) {
	for more, after := true, ""; more; {
		var page []string
		if page, more, err = s.Banks(ctx, after, 0); err != nil || len(page) == 0 {
			return names, err
		}
		names, after = append(names, page...), page[len(page)-1]
	}
	return names, nil
}

func (a *app) showExamined(r examined) {
	if f := r.File; f != nil {
		path, _ := a.file()
		a.say("file %s: %s, %s, %s", filepath.Base(path), count(f.Records, "record"), count(f.Banks, "bank"), count(int(f.Bytes), "byte"))
		for _, d := range f.Damage {
			a.say("  damaged: %s at %s (%s)", count(int(d.Bytes), "byte"), number(int(d.Offset)), d.Reason)
		}
		for _, l := range f.Lost {
			a.say("  lost of bank %q: %s, %s, %s of many", l.Bank, count(l.Commits, "commit"), entries(l.Entries), count(l.Parts, "part"))
		}
		if f.Kept != "" {
			a.say("  kept beside: %s", f.Kept)
		}
		if !f.Sound() && f.Kept == "" {
			a.say("  'leanmem doctor --repair' gives up what is damaged and keeps the file as found; a backup may hold it")
		}
	}
	for _, b := range r.Banks {
		a.say("bank %q: %s, %s in %s", b.Name, count(b.Turns, "turn"), memories(b.Memories), count(b.Blocks, "block"))
		for _, f := range b.Faults {
			a.say("  %s", f)
		}
	}
	if r.Sound {
		a.say("sound")
	} else {
		a.say("not sound")
	}
}
