package host

import (
	"testing"

	"github.com/leanmem/leanmem/host/internal/transcript"
)

// TestFlows replays the transcripts of testdata/flows in every engine: cold they
// make the same bytes, warm the same results.
func TestFlows(t *testing.T) {
	all := allDrivers(t)
	for _, flow := range transcript.All(t) {
		t.Run(flow.Name, func(t *testing.T) {
			if *rewrite {
				flow.Rewrite(t, all["native"])
			}
			for _, name := range []string{"native", "step", "blocking"} {
				if d := flow.Difference(t, all[name]); d != "" { // one says enough
					t.Fatalf("%s: %s\nif the change is meant, -rewrite writes the transcripts anew; look at what it changes", name, d)
				}
			}
		})
	}
}
