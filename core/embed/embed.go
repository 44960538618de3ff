// Package embed is the built-in embedder.
package embed

// Name and Dims identify the table.
const (
	Name = "leanmem-static-v1"
	Dims = 96
)

// Vector is a unit vector scaled to 127.
type Vector = []int8

// Text embeds a text; ok is false where the table does not cover its language.
func Text(text string) (v Vector, ok bool) { return nil, false }

// Word embeds one word.
func Word(word string) (v Vector, ok bool) { return nil, false }

// Cosine of two vectors.
func Cosine(a, b Vector) float64 { return 0 }
