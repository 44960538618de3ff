package hostfuncs

import (
	"unicode/utf8"

	"github.com/leanmem/leanmem/core/effect"
)

// Limits of every store. A key, a bank name and a version have at least one
// byte, except where "" has a meaning of its own.
const (
	MaxKey     = 1 << 10   // bytes of a key
	MaxValue   = 64 << 20  // bytes of a value
	MaxBank    = 256       // bytes of a bank name; any bytes, NUL too
	MaxVersion = 256       // bytes of a version
	MaxWrites  = 10_000    // writes of a commit
	MaxCommit  = 128 << 20 // bytes of the keys and values of a commit
	MaxKeys    = 10_000    // keys of a get
	MaxPage    = 1_000     // entries or names of a page; a larger limit is lowered to it
	PageBytes  = 16 << 20  // a page ends after the entry that reaches this
	MaxReply   = 192 << 20 // bytes of the values of a get; a wire message holds 256 MB
)

// A store keeps any bytes. Through the port, bank names and versions travel in
// a JSON header, so there they are UTF-8: others are refused, and banks of other
// names, which only a host itself can have made, are not listed.

// checkNames refuses what the port cannot carry unchanged.
func checkNames(r effect.Request) error {
	for _, name := range []string{r.Bank, r.Expected, r.Version, r.AfterBank} {
		if !utf8.ValidString(name) {
			return effect.Errorf(effect.InvalidArgument, "%s: a bank name or version is not valid UTF-8", r.Op)
		}
	}
	return nil
}

// CheckBank checks a bank name.
func CheckBank(bank string) error {
	if bank == "" {
		return effect.Errorf(effect.InvalidArgument, "the name of a bank is empty")
	}
	if len(bank) > MaxBank {
		return effect.Errorf(effect.InvalidArgument, "the name of a bank has %d bytes, the limit is %d", len(bank), MaxBank)
	}
	return nil
}

// CheckGet checks the arguments of Store.Get.
func CheckGet(bank string, keys [][]byte) error {
	if err := CheckBank(bank); err != nil {
		return err
	}
	if len(keys) > MaxKeys {
		return effect.Errorf(effect.TooLarge, "get %d keys: the limit is %d", len(keys), MaxKeys)
	}
	for _, k := range keys {
		if err := checkKey(k); err != nil {
			return err
		}
	}
	return nil
}

// CheckScan checks the arguments of Store.Scan and gives the limit to use.
func CheckScan(bank string, prefix, after []byte, limit int) (int, error) {
	if err := CheckBank(bank); err != nil {
		return 0, err
	}
	if len(prefix) > MaxKey || len(after) > MaxKey {
		return 0, effect.Errorf(effect.TooLarge, "scan: a prefix of %d and a start of %d bytes, the limit is %d", len(prefix), len(after), MaxKey)
	}
	return pageLimit(limit)
}

// CheckBanks checks the arguments of Store.Banks and gives the limit to use.
func CheckBanks(after string, limit int) (int, error) {
	if len(after) > MaxBank {
		return 0, effect.Errorf(effect.InvalidArgument, "the name of a bank has %d bytes, the limit is %d", len(after), MaxBank)
	}
	return pageLimit(limit)
}

func pageLimit(limit int) (int, error) {
	if limit < 0 {
		return 0, effect.Errorf(effect.InvalidArgument, "a limit of %d entries", limit)
	}
	if limit == 0 || limit > MaxPage {
		return MaxPage, nil
	}
	return limit, nil
}

// CheckCommit checks the arguments of Store.Commit.
func CheckCommit(bank, expected, version string, writes []effect.Write) error {
	if err := CheckBank(bank); err != nil {
		return err
	}
	if len(expected) > MaxVersion || len(version) > MaxVersion {
		return effect.Errorf(effect.InvalidArgument, "commit: a version has more than %d bytes", MaxVersion)
	}
	if version == "" && len(writes) > 0 {
		return effect.Errorf(effect.InvalidArgument, "commit: version \"\" removes the bank, yet there are %d writes", len(writes))
	}
	// Otherwise a later commit that expects the version could not tell the two
	// states apart.
	if version != "" && version == expected {
		return effect.Errorf(effect.InvalidArgument, "commit: the new version is the expected one")
	}
	if len(writes) > MaxWrites {
		return effect.Errorf(effect.TooLarge, "commit %d writes: the limit is %d", len(writes), MaxWrites)
	}
	return checkWrites(writes)
}

func checkWrites(writes []effect.Write) error {
	seen := make(map[string]struct{}, len(writes))
	total := 0
	for _, w := range writes {
		if err := checkKey(w.Key); err != nil {
			return err
		}
		if len(w.Value) > MaxValue {
			return effect.Errorf(effect.TooLarge, "commit a value of %d bytes: the limit is %d", len(w.Value), MaxValue)
		}
		if w.Delete && len(w.Value) > 0 {
			return effect.Errorf(effect.InvalidArgument, "commit: a write deletes its key and has a value")
		}
		if total += len(w.Key) + len(w.Value); total > MaxCommit {
			return effect.Errorf(effect.TooLarge, "commit more than %d bytes: split the commit", MaxCommit)
		}
		if _, twice := seen[string(w.Key)]; twice {
			return effect.Errorf(effect.InvalidArgument, "commit: a key occurs twice")
		}
		seen[string(w.Key)] = struct{}{}
	}
	return nil
}

func checkKey(k []byte) error {
	if len(k) == 0 {
		return effect.Errorf(effect.InvalidArgument, "a key is empty")
	}
	if len(k) > MaxKey {
		return effect.Errorf(effect.TooLarge, "a key has %d bytes, the limit is %d", len(k), MaxKey)
	}
	return nil
}

// CheckRename checks the arguments of Store.RenameBank.
func CheckRename(from, to string) error {
	if err := CheckBank(from); err != nil {
		return err
	}
	if err := CheckBank(to); err != nil {
		return err
	}
	if from == to {
		return effect.Errorf(effect.InvalidArgument, "rename bank %q to its own name", from)
	}
	return nil
}
