package host

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// fieldForm is one field of a message.
type fieldForm struct {
	Name     string `json:"name"`
	Type     string `json:"type"` // a JSON type, a type of this schema, T[] or map of T
	Optional bool   `json:"optional,omitempty"`
	About    string `json:"about,omitempty"`
}

// sources are the type declarations of packages, by "package.Name".
type sources struct {
	types map[string]ast.Expr
	codes map[string]string // what an error code means
}

// readSources parses the packages: the comment of a field says what it holds,
// and reflection does not know it.
func readSources(t *testing.T, dirs ...string) *sources {
	t.Helper()
	s := &sources{types: map[string]ast.Expr{}, codes: map[string]string{}}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					s.types[tree.Name.Name+"."+n.Name.Name] = n.Type
				case *ast.ValueSpec:
					s.code(n)
				}
				return true
			})
		}
	}
	return s
}

func (s *sources) code(v *ast.ValueSpec) {
	if id, ok := v.Type.(*ast.Ident); !ok || id.Name != "Code" || len(v.Values) != 1 {
		return
	}
	if lit, ok := v.Values[0].(*ast.BasicLit); ok {
		code, _ := strconv.Unquote(lit.Value)
		s.codes[code] = oneLine(v.Comment.Text())
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// describe adds a type and all that its fields reach.
func (s *sources) describe(name string, to map[string][]fieldForm) {
	body, ok := s.types[name].(*ast.StructType)
	if _, known := to[name]; known || !ok {
		return
	}
	to[name] = nil // cut circles short
	to[name] = s.fields(name, body, "", to)
}

// fields lists the fields of a struct, those of embedded ones among them. arg
// is what a type parameter T stands for.
func (s *sources) fields(name string, body *ast.StructType, arg string, to map[string][]fieldForm) []fieldForm {
	pkg, _, _ := strings.Cut(name, ".")
	var out []fieldForm
	for _, f := range body.Fields.List {
		tag := ""
		if f.Tag != nil {
			unquoted, _ := strconv.Unquote(f.Tag.Value)
			tag = reflect.StructTag(unquoted).Get("json")
		}
		jsonName, rest, _ := strings.Cut(tag, ",")
		if tag == "-" {
			continue
		}
		if len(f.Names) == 0 && jsonName == "" {
			inner := qualified(pkg, f.Type)
			if body, ok := s.types[inner].(*ast.StructType); ok {
				out = append(out, s.fields(inner, body, "", to)...)
			}
			continue
		}
		form := fieldForm{
			Name: jsonName, Type: s.typeName(pkg, f.Type, arg, to),
			Optional: strings.Contains(rest, "omit"),
			About:    oneLine(f.Doc.Text() + " " + f.Comment.Text()),
		}
		if form.Name == "" && len(f.Names) > 0 {
			form.Name = f.Names[0].Name
		}
		// A field of an outer struct hides those that it embeds.
		out = append(dropField(out, form.Name), form)
	}
	return out
}

func dropField(fields []fieldForm, name string) []fieldForm {
	var out []fieldForm
	for _, f := range fields {
		if f.Name != name {
			out = append(out, f)
		}
	}
	return out
}

func qualified(pkg string, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return pkg + "." + e.Name
	case *ast.SelectorExpr:
		return e.X.(*ast.Ident).Name + "." + e.Sel.Name
	}
	return ""
}

// typeName says what a Go type is in JSON.
func (s *sources) typeName(pkg string, e ast.Expr, arg string, to map[string][]fieldForm) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return s.typeName(pkg, e.X, arg, to)
	case *ast.ArrayType:
		return s.typeName(pkg, e.Elt, arg, to) + "[]"
	case *ast.MapType:
		return "map of " + s.typeName(pkg, e.Value, arg, to)
	case *ast.IndexExpr: // a generic type with one parameter
		param := s.typeName(pkg, e.Index, arg, to)
		name := qualified(pkg, e.X)
		if body, ok := s.types[name].(*ast.StructType); ok {
			to[name+"["+param+"]"] = s.fields(name, body, param, to)
		}
		return name + "[" + param + "]"
	}
	name := qualified(pkg, e)
	switch name {
	case "json.RawMessage":
		return "any"
	case "time.Time":
		return "RFC 3339 time"
	case "effect.span":
		return "span"
	}
	if id, ok := e.(*ast.Ident); ok {
		if basic := basicType(id.Name, arg); basic != "" {
			return basic
		}
	}
	if _, isStruct := s.types[name].(*ast.StructType); isStruct {
		s.describe(name, to)
		return name
	}
	own, _, _ := strings.Cut(name, ".")
	return s.typeName(own, s.types[name], arg, to) // Kind is a string
}

func basicType(name, arg string) string {
	switch name {
	case "T":
		return arg
	case "string", "any":
		return name
	case "bool":
		return "boolean"
	case "float32", "float64":
		return "number"
	case "byte", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64":
		return "integer"
	}
	return ""
}
