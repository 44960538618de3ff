package host

import (
	"testing"

	"github.com/leanmem/leanmem/core/effect"
)

func TestNativeVersion(t *testing.T) {
	h, err := Open(t.Context(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	out, err := h.Call(t.Context(), "version", []byte("{}"))
	t.Log(string(out), err)
	if _, err := h.Call(t.Context(), "nonsense", []byte("{}")); !effect.HasCode(err, effect.UnknownVerb) {
		t.Fatal(err)
	}
}
