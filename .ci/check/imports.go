package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// room is a part of the tree and what its packages may import: rooms of this
// module, and modules of others ("std" is implied). A room may import itself.
type room struct {
	path  string   // below the module; "…/*" covers the folders below
	rooms []string // allowed rooms, in the same form
	other []string // allowed prefixes of foreign import paths
}

const (
	gjson    = "github.com/tidwall/gjson"
	xtext    = "golang.org/x/text"
	uax29    = "github.com/clipperhouse/uax29"
	wazero   = "github.com/tetratelabs/wazero"
	snowball = "github.com/blevesearch/snowballstem"
)

// stages is what the three rooms of stages may import.
var stages = []string{"core/mem", "core/effect", "core/rank", "core/text", "core/prompt", "core/embed", "core/bank"}

// table is the architecture's table of rooms. The first row that covers a
// package counts.
var table = []room{
	{path: "core/mem"},
	{path: "core/effect"},
	{path: "core/text", other: []string{xtext, uax29, snowball}},
	{path: "core/rank"},
	{path: "core/embed/*", rooms: []string{"core/text"}, other: []string{xtext}},
	{path: "core/prompt", rooms: []string{"core/mem", "core/text"}, other: []string{gjson}},
	{path: "core/bank", rooms: []string{"core/mem", "core/effect", "core/rank", "core/text", "core/embed"}},
	{path: "core/write", rooms: stages},
	{path: "core/evolve", rooms: stages},
	{path: "core/read", rooms: stages},
	{path: "core/strategy/*", rooms: append([]string{"core/write", "core/evolve", "core/read"}, stages...)},
	{path: "core/flow", rooms: []string{"core/effect"}},
	{path: "core", rooms: []string{"core/mem", "core/effect", "core/bank", "core/text", "core/embed"}, other: []string{gjson}},
	{path: "plugin", rooms: []string{"core/*", "core"}, other: []string{"github.com/extism/go-pdk"}},
	{path: "hostfuncs/*", rooms: []string{"core/effect", "hostfuncs/*", "hostfuncs"}, other: []string{"*"}},
	{path: "hostfuncs", rooms: []string{"core/effect"}},
	{path: "host/*", rooms: []string{"*"}, other: []string{"*"}},
	{path: "host", rooms: []string{"*"}, other: []string{"*"}},
	{path: "testdata/*"},
	{path: "js/*"},
	{path: ".ci/*"},
}

// covers reports whether a row's path covers a package path below the module.
func covers(path, pkg string) bool {
	if path == "*" {
		return true
	}
	if prefix, ok := strings.CutSuffix(path, "/*"); ok {
		return strings.HasPrefix(pkg, prefix+"/") || pkg == prefix
	}
	return path == pkg
}

// pack is what go list tells of a package.
type pack struct {
	ImportPath, Dir string
	Standard        bool
	Imports, Deps   []string
	Error           *struct{ Err string }
}

// imports checks every package of the module and, with go list -deps, what it
// reaches: hostfuncs never sees wasm, core never sees the world.
func imports([]string) []string {
	packs, faults := list()
	for _, p := range packs {
		if p.Standard || !inModule(p.ImportPath) {
			continue
		}
		faults = append(faults, direct(p)...)
		faults = append(faults, reached(p)...)
	}
	return faults
}

func list() ([]pack, []string) {
	cmd := exec.Command("go", "list", "-deps", "-e", "-json=ImportPath,Dir,Standard,Imports,Deps,Error", "./...", "./testdata/dialogues")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, []string{fmt.Sprintf("go list: %v", err)}
	}
	var packs []pack
	var faults []string
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p pack
		if err := d.Decode(&p); err != nil {
			return nil, []string{fmt.Sprintf("go list: %v", err)}
		}
		if p.Error != nil && inModule(p.ImportPath) && !strings.Contains(p.Error.Err, "build constraints exclude all") {
			faults = append(faults, p.ImportPath+": "+p.Error.Err)
		}
		packs = append(packs, p)
	}
	return packs, faults
}

func inModule(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

func below(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, module), "/") }

func roomOf(pkg string) (room, bool) {
	i := slices.IndexFunc(table, func(r room) bool { return covers(r.path, pkg) })
	if i < 0 {
		return room{}, false
	}
	return table[i], true
}

func direct(p pack) []string {
	name := below(p.ImportPath)
	r, ok := roomOf(name)
	if !ok {
		return []string{p.ImportPath + ": no room of the architecture covers it"}
	}
	var faults []string
	for _, imp := range p.Imports {
		if inModule(imp) {
			to := below(imp)
			if !allowedRoom(r, name, to) {
				faults = append(faults, fmt.Sprintf("%s imports %s: its room may not", name, to))
			}
			continue
		}
		if strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") && !allowedOther(r, imp) {
			faults = append(faults, fmt.Sprintf("%s imports %s: its room may not", name, imp))
		}
	}
	return faults
}

func allowedRoom(r room, from, to string) bool {
	// Strategies, stages and stores do not import their neighbours, so a room
	// of folders admits only a package's own subfolders.
	if to == from || strings.HasPrefix(to, from+"/") {
		return true
	}
	if strings.HasPrefix(from, "core/embed/") && strings.HasPrefix(to, "core/embed") {
		return true
	}
	return slices.ContainsFunc(r.rooms, func(allowed string) bool { return covers(allowed, to) })
}

func allowedOther(r room, imp string) bool {
	return slices.ContainsFunc(r.other, func(o string) bool { return o == "*" || strings.HasPrefix(imp, o) })
}

// reached refuses what a room must not reach even through others.
func reached(p pack) []string {
	name := below(p.ImportPath)
	var faults []string
	for _, dep := range p.Deps {
		switch {
		case strings.HasPrefix(name, "hostfuncs") && strings.HasPrefix(dep, wazero):
			faults = append(faults, name+" reaches "+dep+": hostfuncs never sees wasm")
		case inCore(name) && slices.Contains([]string{"net", "net/http", "os/exec", "database/sql"}, dep):
			faults = append(faults, name+" reaches "+dep+": core never talks to the world")
		}
	}
	return faults
}

func inCore(name string) bool { return name == "core" || strings.HasPrefix(name, "core/") }
