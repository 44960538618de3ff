package mem

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

// Whatever evidence holds, AppendFields writes what encoding/json writes.
func TestEvidenceAsJSON(t *testing.T) {
	yes, no := true, false
	strange := []string{
		"", "plain", "a line\nand \"another\" with a \\", "tab\tand\rbell\a\x00\x1f\x7f", "<b>&amp;</b>", "Grüße, 日本語 🎉",
		"broken \xff\xc3 bytes", "separators \u2028 and \u2029", "12345678", "1234567\n", "12345678\"", "\xed\xa0\x80", "\ufffd",
	}
	for i, s := range strange {
		for _, f := range []float64{0, 1, -0.07, 1e-7, 123456.789, 1e21, math.Copysign(0, -1), 0.000001} {
			e := Evidence{Text: s, Tokens: i * 1000, Confidence: f, Sufficient: i%2 == 0, Items: []Item{
				{ID: s, Kind: Kind(s), Text: s, Sources: []string{s, "x"}, Date: s, Speaker: s, Score: f, Current: &yes, Until: s, Asked: &no, Corrected: s},
				{Sources: []string{}, Current: &no},
				{},
			}}
			sameJSON(t, e)
		}
	}
	sameJSON(t, Evidence{})
	sameJSON(t, Evidence{Items: []Item{}})
}

// A field that is added to the types must be added to AppendFields.
func TestEvidenceAsJSONHasEveryField(t *testing.T) {
	var e Evidence
	fill(reflect.ValueOf(&e).Elem())
	sameJSON(t, e)
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(0.5)
	default:
		panic(v.Kind())
	}
}

func FuzzEvidenceAsJSON(f *testing.F) {
	f.Add("a \"quoted\" line\nand 日本語", 0.25)
	f.Fuzz(func(t *testing.T, s string, x float64) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return
		}
		sameJSON(t, Evidence{Text: s, Confidence: x, Items: []Item{{ID: s, Score: x, Sources: []string{s}}}})
	})
}

func sameJSON(t *testing.T, e Evidence) {
	t.Helper()
	want, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if got := "{" + string(e.AppendFields(nil)) + "}"; got != string(want) {
		t.Fatalf("AppendFields wrote\n%s\nencoding/json\n%s", got, want)
	}
}

func BenchmarkEvidenceAsJSON(b *testing.B) {
	var e Evidence
	for range 60 {
		e.Text += "Ana: I bought a garden bench for the museum's kitchen, and it is \"nice\".\n"
		e.Items = append(e.Items, Item{ID: "t_0123456789abcdef", Kind: KindTurn, Text: "I bought a garden bench for the museum's kitchen, and it is \"nice\".", Sources: []string{"D1:3"}, Date: "2023-05-08", Speaker: "Ana", Score: 1.234567})
	}
	b.Run("here", func(b *testing.B) {
		for b.Loop() {
			e.AppendFields(nil)
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		for b.Loop() {
			json.Marshal(e)
		}
	})
}
