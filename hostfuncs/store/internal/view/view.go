// Package view is the state of banks in memory: ordered, immutable once
// published, cheap to derive a next state from. The memory store is nothing
// else; the buntdb store reads from it.
package view

import (
	"sync"

	"github.com/tidwall/btree"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
)

// Item is a value and where a file holds it.
type Item struct {
	Value string
	At    int64
}

// Write is one operation on a bank.
type Write struct {
	Key    string
	Item   Item
	Delete bool
}

// Own copies the writes of a commit: a caller may change them after it.
func Own(writes []effect.Write) []Write {
	out := make([]Write, len(writes))
	for i, w := range writes {
		out[i] = Write{Key: string(w.Key), Item: Item{Value: string(w.Value)}, Delete: w.Delete}
	}
	return out
}

// Bank is one state of a bank. A published state is never changed.
type Bank struct {
	Version string
	Bytes   int64 // of keys and values
	items   *btree.Map[string, Item]
}

// VersionOf is the version that stands: "" where there is no bank.
func VersionOf(b *Bank) string {
	if b == nil {
		return ""
	}
	return b.Version
}

// Renamed finds the bank that is to have another name, unless there is none or
// another has that name.
func Renamed(from, to string, find func(name string) *Bank) (*Bank, error) {
	b := find(from)
	if b == nil {
		return nil, effect.Errorf(effect.BankNotFound, "rename bank %q: there is none", from)
	}
	if find(to) != nil {
		return nil, effect.Errorf(effect.BankExists, "rename bank %q to %q: there is one of that name", from, to)
	}
	return b, nil
}

// Next derives the state after the writes and returns the items that it no
// longer holds. b may be nil.
func (b *Bank) Next(version string, writes []Write) (next *Bank, dead []Item) {
	next = &Bank{Version: version, items: new(btree.Map[string, Item])}
	if b != nil {
		next.items, next.Bytes = b.items.Copy(), b.Bytes
	}
	for _, w := range writes {
		var old Item
		var had bool
		if w.Delete {
			old, had = next.items.Delete(w.Key)
		} else {
			old, had = next.items.Set(w.Key, w.Item)
			next.Bytes += int64(len(w.Key) + len(w.Item.Value))
		}
		if had {
			next.Bytes -= int64(len(w.Key) + len(old.Value))
			dead = append(dead, old)
		}
	}
	return next, dead
}

// Len is the number of entries.
func (b *Bank) Len() int {
	if b == nil {
		return 0
	}
	return b.items.Len()
}

// Each calls f with every entry in key order until it returns false.
func (b *Bank) Each(f func(key string, it Item) bool) {
	if b != nil {
		b.items.Scan(f)
	}
}

// Get reads keys. b may be nil.
func (b *Bank) Get(keys [][]byte) (values [][]byte, version string, err error) {
	values = make([][]byte, len(keys))
	if b == nil {
		return values, "", nil
	}
	total := 0
	for i, k := range keys {
		if it, ok := b.items.Get(string(k)); ok {
			if total += len(it.Value); total > hostfuncs.MaxReply {
				return nil, "", effect.Errorf(effect.TooLarge, "get %d keys: more than %d bytes at once", len(keys), hostfuncs.MaxReply)
			}
			values[i] = append(make([]byte, 0, len(it.Value)), it.Value...)
		}
	}
	return values, b.Version, nil
}

// Scan reads a page. b may be nil.
func (b *Bank) Scan(prefix, after []byte, limit int) hostfuncs.Page {
	var p hostfuncs.Page
	if b == nil {
		return p
	}
	p.Version = b.Version
	pre, aft := string(prefix), string(after)
	size := 0
	b.items.Ascend(max(pre, aft), func(k string, it Item) bool {
		if aft != "" && k == aft {
			return true
		}
		if len(k) < len(pre) || k[:len(pre)] != pre {
			return false
		}
		if len(p.Entries) == limit || size >= hostfuncs.PageBytes {
			p.More = true
			return false
		}
		p.Entries = append(p.Entries, effect.Entry{
			Key:   []byte(k),
			Value: append(make([]byte, 0, len(it.Value)), it.Value...),
		})
		size += len(k) + len(it.Value)
		return true
	})
	return p
}

// Banks is the published state of all banks. The zero value is empty.
type Banks struct {
	mu sync.RWMutex
	m  btree.Map[string, *Bank]
}

// Find returns the state of a bank, or nil.
func (v *Banks) Find(name string) *Bank {
	v.mu.RLock()
	defer v.mu.RUnlock()
	b, _ := v.m.Get(name)
	return b
}

// Publish replaces the states of banks at once; nil removes one.
func (v *Banks) Publish(changed map[string]*Bank) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, b := range changed {
		if b == nil {
			v.m.Delete(name)
		} else {
			v.m.Set(name, b)
		}
	}
}

// Replace takes the states of another set.
func (v *Banks) Replace(other *Banks) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.m = other.m
}

// Names lists bank names greater than after.
func (v *Banks) Names(after string, limit int) (names []string, more bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	v.m.Ascend(after, func(name string, _ *Bank) bool {
		if after != "" && name == after {
			return true
		}
		if len(names) == limit {
			more = true
			return false
		}
		names = append(names, name)
		return true
	})
	return names, more
}

// All returns every bank in one consistent view, in name order.
func (v *Banks) All() (names []string, banks []*Bank) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.m.KeyValues()
}
