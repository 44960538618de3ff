package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs"
	"github.com/leanmem/leanmem/hostfuncs/store/buntdb"
	"github.com/leanmem/leanmem/hostfuncs/store/memory"
	"github.com/leanmem/leanmem/hostfuncs/store/postgres"
	"github.com/leanmem/leanmem/hostfuncs/store/redis"
)

// defaultStore is where banks are kept when nobody says anything else.
const defaultStore = "buntdb:leanmem.db"

// storeForms is what --store takes. What a person wrote is not repeated in a
// message unless it is the name of a file: a URL may hold a password.
const storeForms = "buntdb:FILE, postgres://USER@HOST/DATABASE, redis://HOST:PORT or memory:"

// openStore opens the store that the flags name.
func (a *app) openStore(ctx context.Context, wanted access) (hostfuncs.Store, error) {
	kind, rest, ok := strings.Cut(a.flags.store, ":")
	if !ok {
		return nil, usagef("--store names no kind of store: write %s", storeForms)
	}
	switch kind {
	case "memory":
		return memory.New(), nil
	case "buntdb":
		return a.openFile(rest, wanted)
	case "postgres", "postgresql":
		return openPostgres(ctx, a.flags.store)
	case "redis", "rediss":
		return a.openRedis(ctx)
	}
	return nil, usagef("--store: no kind of store is called %q: write %s", kind, storeForms)
}

func openPostgres(ctx context.Context, url string) (hostfuncs.Store, error) {
	dsn, o, err := postgres.ParseURL(url)
	if err != nil {
		return nil, usagef("--store: %s", effect.AsError(err).Message)
	}
	s, err := postgres.Open(ctx, dsn, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (a *app) openRedis(ctx context.Context) (hostfuncs.Store, error) {
	o, err := redis.ParseURL(a.flags.store)
	if err != nil {
		return nil, usagef("--store: %s", effect.AsError(err).Message)
	}
	s, err := redis.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	for _, w := range s.Warnings() {
		a.note("note: the Redis server may lose what it acknowledged: %s", w)
	}
	return s, nil
}

func (a *app) openFile(path string, wanted access) (hostfuncs.Store, error) {
	if err := checkFile(path, wanted == creating); err != nil {
		return nil, err
	}
	s, err := buntdb.Open(path, buntdb.Options{ReadOnly: wanted == reading})
	if err != nil {
		return nil, err
	}
	switch r := s.Report(); {
	case r.Kept != "":
		a.note("note: the end of %s was damaged, as a crash or a full disk leaves it; everything before stands, the damaged part is kept in %s", path, r.Kept)
	case !r.Sound():
		a.note("note: the end of %s is damaged, as a crash or a full disk leaves it; everything before stands, the next command that writes cuts it off and keeps it", path)
	}
	a.readOnly = wanted == reading
	return s, nil
}

// checkFile refuses what cannot be a store's file, in a person's words.
func checkFile(path string, create bool) error {
	if path == "" {
		return usagef("--store buntdb: names no file: write buntdb:FILE")
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return usagef("--store buntdb:%s is a folder; name a file in it", path)
	case err == nil && !info.Mode().IsRegular():
		return usagef("--store buntdb:%s is no regular file", path)
	case os.IsNotExist(err) && !create:
		return effect.Errorf(effect.StoreFailed, "there is no store %s yet; 'add' and 'import' make one", path)
	case os.IsNotExist(err):
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return effect.Errorf(effect.StoreFailed, "there is no folder %s for the store", filepath.Dir(path))
		}
	}
	return nil
}

// file is the path of the store, if it is kept in one.
func (a *app) file() (path string, ok bool) { return strings.CutPrefix(a.flags.store, "buntdb:") }
