package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// filterFlags are the restrictions that several commands take.
type filterFlags struct {
	ids, kinds, subjects, speakers, sessions, labels []string
	about, after, before                             string
}

func (f *filterFlags) register(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringSliceVar(&f.ids, "id", nil, "only these `IDS` (memories, or turns by their own or the caller's id)")
	s.StringSliceVar(&f.kinds, "kind", nil, "only these `KINDS`: profile, event, record, turn")
	s.StringArrayVar(&f.subjects, "subject", nil, "only memories about this `SUBJECT`")
	s.StringArrayVar(&f.speakers, "speaker", nil, "only what this `SPEAKER` said")
	s.StringSliceVar(&f.sessions, "session", nil, "only these `SESSIONS`")
	s.StringVar(&f.about, "about", "", "only what mentions all of these names or words")
	s.StringVar(&f.after, "after", "", "only what was said at or after this time")
	s.StringVar(&f.before, "before", "", "only what was said before this time")
	s.StringArrayVar(&f.labels, "label", nil, "only what carries the label `KEY=VALUE`")
}

func (f *filterFlags) filter() (mem.Filter, error) {
	out := mem.Filter{IDs: f.ids, Subjects: f.subjects, Speakers: f.speakers, Sessions: f.sessions, About: f.about}
	for _, k := range f.kinds {
		if !slices.Contains(mem.Kinds, mem.Kind(k)) {
			return out, usagef("--kind %q: there are profile, event, record and turn", k)
		}
		out.Kinds = append(out.Kinds, mem.Kind(k))
	}
	var err error
	if out.After, err = parseTime("--after", f.after); err != nil {
		return out, err
	}
	if out.Before, err = parseTime("--before", f.before); err != nil {
		return out, err
	}
	out.Labels, err = parseLabels(f.labels)
	return out, err
}

func parseTime(flag, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := text.ParseStamp(s)
	if err != nil {
		return t, usagef("%s %q is not a time: write it as 2025-03-02T18:00:00Z or 2025-03-02", flag, s)
	}
	return t, nil
}

func parseLabels(list []string) (map[string]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := map[string]string{}
	for _, l := range list {
		k, v, ok := strings.Cut(l, "=")
		if !ok || k == "" {
			return nil, usagef("--label %q: write it as KEY=VALUE", l)
		}
		out[k] = v
	}
	return out, nil
}
