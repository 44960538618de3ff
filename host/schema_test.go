package host

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/host/internal/plugintest"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/abi.json anew from the code")

const schemaFile = "../testdata/abi.json"

// schema is testdata/abi.json: all that crosses the border of the plugin.
type schema struct {
	About     string                 `json:"about"`
	ABI       string                 `json:"abi"`
	Wire      string                 `json:"wire"`
	Artefacts map[string]artefact    `json:"artefacts"`
	Verbs     map[string]verbForm    `json:"verbs"`
	Steps     map[string]verbForm    `json:"steps"`
	Effects   map[string]verbForm    `json:"effects"`
	Errors    []codeForm             `json:"errors"`
	Types     map[string][]fieldForm `json:"types"`
}

type artefact struct {
	Tags    []string          `json:"tags"`
	Exports map[string]string `json:"exports"` // signature by name
	// Imports gives signatures by module and name; what is imported from WASI
	// depends on the Go release and is left out.
	Imports map[string]map[string]string `json:"imports"`
}

type verbForm struct {
	Request string `json:"request"`
	Result  string `json:"result"`
}

type codeForm struct {
	Code  string `json:"code"`
	Means string `json:"means,omitempty"`
}

func TestTheSchemaIsTrue(t *testing.T) {
	got := describe(t)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(got); err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile(schemaFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, b.Bytes()) {
		t.Errorf("%s differs from the code at line %q; go test ./host -run Schema -rewrite writes it anew", schemaFile, firstDifference(string(want), b.String()))
	}
}

func firstDifference(a, b string) string {
	of, in := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(of), len(in)) {
		if of[i] != in[i] {
			return in[i]
		}
	}
	return "the end"
}

// TestTheExportsAreTheVerbs holds the artefacts to what the code lists.
func TestTheExportsAreTheVerbs(t *testing.T) {
	always := []string{"capabilities", "version"}
	verbs := append(slices.Clone(core.Verbs), always...)
	for file, want := range map[string][]string{
		"leanmem.wasm":      verbs,
		"leanmem-step.wasm": append([]string{"begin", "cancel", "resume", "reserve", "exchange"}, always...),
	} {
		a := artefacts(t)[file]
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(a.Exports)); !slices.Equal(got, slices.Compact(want)) {
			t.Errorf("%s exports %v, want %v", file, got, want)
		}
		var effects []string
		for _, op := range effect.Ops {
			effects = append(effects, string(op))
		}
		slices.Sort(effects)
		if file == "leanmem-step.wasm" {
			effects = nil
		}
		if got := slices.Sorted(maps.Keys(a.Imports["extism:host/user"])); !slices.Equal(got, effects) {
			t.Errorf("%s imports %v from extism:host/user, want %v", file, got, effects)
		}
		delete(a.Imports, "extism:host/user")
		if got := slices.Sorted(maps.Keys(a.Imports)); !slices.Equal(got, []string{envModule, "wasi_snapshot_preview1"}) {
			t.Errorf("%s imports from %v", file, got)
		}
	}
}

func describe(t *testing.T) schema {
	s := schema{
		About:     "All that crosses the border of the plugin. Written from the code by: go test ./host -run Schema -rewrite",
		ABI:       core.ABI,
		Wire:      "uint32 length of the header, little endian; the header as JSON; raw bytes. A span is [offset, length] into the raw bytes, [-1, 0] is no value. Requests and results of verbs are plain JSON.",
		Artefacts: artefacts(t),
		Verbs:     map[string]verbForm{},
		Steps: map[string]verbForm{
			"begin":  {"effect.wireEnvelope", "effect.wireEnvelope"},
			"resume": {"effect.wireEnvelope", "effect.wireEnvelope"},
			"cancel": {"effect.wireEnvelope", "effect.wireEnvelope"},
		},
		Effects: map[string]verbForm{},
		Types:   map[string][]fieldForm{},
	}
	src := readSources(t, "core", "core/mem", "core/effect")
	for _, verb := range core.Verbs {
		f := formOf(t, verb)
		s.Verbs[verb] = f
		src.describe(f.Request, s.Types)
		src.describe(f.Result, s.Types)
	}
	for _, op := range effect.Ops {
		s.Effects[string(op)] = verbForm{"effect.wireRequest", "effect.wireReply"}
	}
	src.describe("effect.wireEnvelope", s.Types)
	src.describe("effect.wireRequest", s.Types)
	src.describe("effect.wireReply", s.Types)
	for _, code := range effect.Codes {
		s.Errors = append(s.Errors, codeForm{string(code), src.codes[string(code)]})
	}
	return s
}

// formOf reads a verb's types off the host's method of that name.
func formOf(t *testing.T, verb string) verbForm {
	t.Helper()
	m, ok := reflect.TypeFor[*Host]().MethodByName(strings.ToUpper(verb[:1]) + verb[1:])
	if !ok {
		t.Fatalf("the host has no method for the verb %s", verb)
	}
	f := verbForm{Request: "core.Call", Result: m.Type.Out(0).String()}
	if m.Type.NumIn() > 2 {
		f.Request = m.Type.In(2).String()
	}
	return f
}

// artefacts reads exports and imports off the built plugins.
func artefacts(t *testing.T) map[string]artefact {
	t.Helper()
	out := map[string]artefact{}
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	for file, tags := range map[string][]string{"leanmem.wasm": {}, "leanmem-step.wasm": {"step"}} {
		m, err := r.CompileModule(ctx, plugintest.Build(t, tags...))
		if err != nil {
			t.Fatal(err)
		}
		a := artefact{Tags: tags, Exports: map[string]string{}, Imports: map[string]map[string]string{}}
		for name, f := range m.ExportedFunctions() {
			if name != "_initialize" {
				a.Exports[name] = signature(f)
			}
		}
		for _, f := range m.ImportedFunctions() {
			module, name, _ := f.Import()
			if a.Imports[module] == nil {
				a.Imports[module] = map[string]string{}
			}
			if !strings.HasPrefix(module, "wasi") {
				a.Imports[module][name] = signature(f)
			}
		}
		out[file] = a
	}
	return out
}

func signature(f api.FunctionDefinition) string {
	names := func(types []api.ValueType) string {
		var s []string
		for _, t := range types {
			s = append(s, api.ValueTypeName(t))
		}
		return "(" + strings.Join(s, ", ") + ")"
	}
	return names(f.ParamTypes()) + " -> " + names(f.ResultTypes())
}
