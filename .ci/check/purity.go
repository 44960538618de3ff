package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// refusedImports may not occur in core outside tests: core is one thread that
// reads no clock, no randomness and no file.
var refusedImports = []string{
	"sync", "sync/atomic", "math/rand", "math/rand/v2", "crypto/rand", "os", "net", "net/http", "os/exec", "syscall", "runtime", "log",
	"io/ioutil", "unsafe",
}

// mayBeUnsafe are the files that read bytes as numbers without a copy.
var mayBeUnsafe = []string{"core/bank/reindex.go"}

// refusedNames are selectors that may not occur in core outside tests. Exp,
// Pow and Tanh give other last bits natively than in wasm.
var refusedNames = []string{
	"time.Now", "time.Since", "time.Until", "time.After", "time.AfterFunc", "time.Tick", "time.NewTimer",
	"time.NewTicker", "time.Sleep", "math.Exp", "math.Pow", "math.Tanh", "time.Local",
}

func purity(files []string) []string {
	var faults []string
	for _, f := range goFiles(files) {
		if !strings.HasPrefix(f, "core/") || strings.HasSuffix(f, "_test.go") {
			continue
		}
		faults = append(faults, impure(f)...)
	}
	return faults
}

func impure(file string) []string {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	// A generator is run by hand and is no part of the core.
	if ignored(tree) {
		return nil
	}
	var faults []string
	at := func(n ast.Node, what string) {
		faults = append(faults, fmt.Sprintf("%s: %s", set.Position(n.Pos()), what))
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			at(n, "a goroutine")
		case *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
			at(n, "a channel")
		case *ast.ImportSpec:
			if path := strings.Trim(n.Path.Value, `"`); slices.Contains(refusedImports, path) &&
				(path != "unsafe" || !slices.Contains(mayBeUnsafe, file)) {
				at(n, "imports "+path)
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && slices.Contains(refusedNames, x.Name+"."+n.Sel.Name) {
				at(n, "uses "+x.Name+"."+n.Sel.Name)
			}
		}
		return true
	})
	return faults
}

func ignored(tree *ast.File) bool {
	if tree.Name.Name == "main" {
		return true
	}
	for _, group := range tree.Comments {
		if group.Pos() < tree.Package && strings.Contains(group.Text(), "//go:build ignore") {
			return true
		}
	}
	return false
}

// long reports files of more than 400 lines and functions of more than 60.
func long(files []string) []string {
	var notes []string
	for _, f := range goFiles(files) {
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, f, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		if n := set.File(tree.Pos()).LineCount(); n > 400 {
			notes = append(notes, fmt.Sprintf("%s has %d lines", f, n))
		}
		for _, d := range tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1; n > 60 {
				notes = append(notes, fmt.Sprintf("%s: %s has %d lines", set.Position(fn.Pos()), fn.Name.Name, n))
			}
		}
	}
	return notes
}
