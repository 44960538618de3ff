package buntdb

import (
	"bufio"
	"context"
	"io"
	"os"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/internal/view"
)

// partBytes bounds a record that compaction writes, unless one value is larger.
const partBytes = 4 << 20

// Compact implements hostfuncs.Compacter: it rewrites the file with what is
// live and nothing else. It is safe at any moment; writers wait for it.
func (s *Store) Compact(ctx context.Context) error {
	if err := s.takeTurn(ctx, "compact"); err != nil {
		return err
	}
	defer func() { <-s.turn }()
	if err := s.writable("compact"); err != nil {
		return err
	}
	return s.compact()
}

// Backup writes a store file with one consistent state of all banks, while the
// store goes on. Writers do not wait for it.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	if err := s.readable(ctx, "back up"); err != nil {
		return err
	}
	if _, err := writeBase(ctx, w, &s.banks); err != nil {
		return fileError("back up store", s.path, err)
	}
	return nil
}

func (s *Store) takeTurn(ctx context.Context, doing string) error {
	if err := hostfuncs.ContextError(ctx, doing); err != nil {
		return err
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return hostfuncs.ContextError(ctx, doing)
	}
}

// compact runs in its caller's turn. Until the new file has its name, the old
// one serves; from then on the store is what the new file holds.
func (s *Store) compact() error {
	found, err := s.rewrite(&s.banks)
	if err != nil {
		// Trying again with every commit would not free the disk.
		s.retryAt = s.size + max(s.opts.CompactSlack, s.size/2)
		return err
	}
	s.closeFiles()
	if err := s.hit("compact: reopen"); err != nil {
		return s.breakWith("open the compacted store", err)
	}
	if err := s.load(found); err != nil {
		return s.breakWith("open the compacted store", err)
	}
	s.dirty = false
	return nil
}

// compactIfDue bounds the dead weight of the file, in its caller's turn.
func (s *Store) compactIfDue() {
	if s.broken != nil || s.closed || s.size < s.retryAt || s.size-s.live <= s.live+s.opts.CompactSlack {
		return
	}
	s.compact() // a failure is no failure of a commit; the next attempt may pass
}

// rewrite writes a state to a new file, brings it to the disk and gives it the
// store's name.
func (s *Store) rewrite(state *view.Banks) (found scanned, err error) {
	name := s.path + compactSuffix
	defer func() {
		if err != nil {
			os.Remove(name)
			err = fileError("compact store", s.path, err)
		}
	}()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return found, err
	}
	if info, err := os.Stat(s.path); err == nil {
		f.Chmod(info.Mode().Perm())
	}
	if err = s.hit("compact: write"); err == nil {
		found, err = writeBase(context.Background(), f, state)
	}
	if err == nil {
		err = s.hit("compact: sync")
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = s.hit("compact: rename")
	}
	if err == nil {
		err = os.Rename(name, s.path)
	}
	if err != nil {
		return found, err
	}
	if err = s.hit("compact: sync directory"); err == nil {
		err = syncDir(s.path)
	}
	if err != nil {
		// The new file has the name, the old one may come back after a crash:
		// neither may take further commits.
		return found, s.breakWith("compact", err)
	}
	return found, nil
}

// writeBase writes a store file that holds one state and returns what scanning
// it would find.
func writeBase(ctx context.Context, w io.Writer, state *view.Banks) (scanned, error) {
	names, banks := state.All()
	var parts [][][]view.Write
	total := uint64(0)
	for _, b := range banks {
		p := split(b)
		parts = append(parts, p)
		total += uint64(len(p))
	}
	head, s := header(total)
	out := bufio.NewWriterSize(w, 256<<10)
	out.WriteString(head)
	found := scanned{salt: s, base: total, good: int64(len(head))}
	seq := uint64(0)
	for i, name := range names {
		for k, writes := range parts[i] {
			if err := hostfuncs.ContextError(ctx, "write banks"); err != nil {
				return found, err
			}
			seq++
			value := encode(s, seq, record{
				kind: kindBase, bank: name, version: banks[i].Version,
				part: uint64(k), parts: uint64(len(parts[i])),
			}, writes)
			head := commandHead(keyLen, recordKey(seq), len(value))
			p := place{seq: seq, start: found.good, value: found.good + int64(len(head))}
			p.end = p.value + int64(len(value)) + 2
			found.good = p.end
			found.places = append(found.places, p)
			out.WriteString(head)
			out.WriteString(value)
			if _, err := out.WriteString("\r\n"); err != nil {
				return found, err
			}
		}
	}
	found.size = found.good
	return found, out.Flush()
}

// split groups the entries of a bank into records. A bank without entries has
// one, too.
func split(b *view.Bank) (parts [][]view.Write) {
	var part []view.Write
	size := 0
	b.Each(func(key string, it view.Item) bool {
		if n := len(key) + len(it.Value); len(part) > 0 && (size+n > partBytes || len(part) == hostfuncs.MaxWrites) {
			parts, part, size = append(parts, part), nil, 0
		}
		part = append(part, view.Write{Key: key, Item: it})
		size += len(key) + len(it.Value)
		return true
	})
	return append(parts, part)
}

func (s *Store) writable(doing string) error {
	if s.closed {
		return effect.Errorf(effect.StoreFailed, "%s: the store is closed", doing)
	}
	return s.broken
}
