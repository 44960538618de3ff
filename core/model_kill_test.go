package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core"
	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/llm/scripted"
)

// mortal is a port whose process dies at the nth effect: before it, or after it
// was performed and before its reply was taken.
type mortal struct {
	port  effect.Port
	n     int
	at    int // 0: never
	after bool
	died  bool
	paid  map[string]int // replies that arrived, by prompt
	lost  map[string]int // of those, ones that arrived and could not be kept before the kill
	last  []string       // prompts of the request whose replies are not kept yet
}

var errKilled = errors.New("killed")

func (m *mortal) Do(ctx context.Context, requests []effect.Request) ([]effect.Reply, error) {
	m.n++
	dies := m.at > 0 && m.n == m.at
	if m.died || dies && !m.after {
		if !m.died {
			m.lose()
		}
		m.died = true
		return nil, errKilled
	}
	replies, err := m.port.Do(ctx, requests)
	for _, r := range requests {
		switch r.Op {
		case effect.OpComplete:
			m.last = nil
			for _, p := range r.Prompts {
				m.last = append(m.last, p.Stage+p.User)
				m.paid[p.Stage+p.User]++
			}
		case effect.OpCommit:
			m.last = nil
		}
	}
	if dies {
		m.died = true
		m.lose()
		return nil, errKilled
	}
	return replies, err
}

func (m *mortal) lose() {
	for _, p := range m.last {
		m.lost[p]++
	}
	m.last = nil
}

var (
	segmentNumber = regexp.MustCompile(`(?m)^\[(\d+)\]`)
	doorNumber    = regexp.MustCompile(`door \d+`)
)

// answersByStage is a model that answers every stage.
func answersByStage(p effect.Prompt) string {
	switch p.SchemaName {
	case "routes":
		var items []string
		doors := doorNumber.FindAllString(p.User, -1)
		for i, n := range segmentNumber.FindAllStringSubmatch(p.User, -1) {
			items = append(items, fmt.Sprintf(`{"seg":%s,"y":"event","src":[],"who":"Ana","key":"squeaking cabinet","value":"the hinge was oiled at %s","when":""}`, n[1], doors[min(i, len(doors)-1)]))
		}
		return `{"segments":[` + strings.Join(items, ",") + `]}`
	case "route":
		return `{"y":"event","src":[],"facts":[]}`
	case "event":
		return fmt.Sprintf(`{"who":"Ana","key":"squeaking cabinet","value":"the hinge was oiled at %s","when":""}`, doorNumber.FindString(p.User))
	case "updates":
		var items []string
		for _, n := range segmentNumber.FindAllStringSubmatch(p.User, -1) {
			items = append(items, fmt.Sprintf(`{"seg":%s,"y":"new","target":0}`, n[1]))
		}
		return `{"updates":[` + strings.Join(items, ",") + `]}`
	}
	return `{"value":"a gist"}`
}

// A process that dies at any effect of an add and an evolve, before or after
// it, and runs them again, leaves the bank of an undisturbed run and asks
// nothing twice whose reply could be kept.
func TestCaseKilledAtAnyEffect(t *testing.T) {
	for _, fused := range []bool{true, false} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("fused %v, after %v", fused, after), func(t *testing.T) {
				want := killedAt(t, fused, 0, after)
				for at := 1; ; at++ {
					got := killedAt(t, fused, at, after)
					if got.export != want.export {
						t.Fatalf("killed at effect %d: another bank:\n%s", at, firstDifference(got.export, want.export))
					}
					for prompt, n := range got.paid {
						if n > 1+got.lost[prompt] {
							t.Errorf("killed at effect %d: paid for %d times: %.60q", at, n, prompt)
						}
					}
					// Fewer is fine: events that gathered meanwhile share a call.
					if len(got.paid) > len(want.paid) {
						t.Errorf("killed at effect %d: %d prompts, undisturbed %d", at, len(got.paid), len(want.paid))
					}
					if !got.died {
						break
					}
				}
			})
		}
	}
}

// killed is what a run left that may have died on the way.
type killed struct {
	export     string
	paid, lost map[string]int
	died       bool
}

func killedAt(t *testing.T, fused bool, at int, after bool) killed {
	t.Helper()
	w := newWorld(t, scripted.Rule{Answer: answersByStage})
	w.options.Fused = &fused
	out := killed{paid: map[string]int{}, lost: map[string]int{}}
	first := &mortal{port: w.port(), at: at, after: after, paid: out.paid, lost: out.lost}
	if err := addAndEvolve(w, first); err != nil {
		if out.died = first.died; !out.died {
			t.Fatal(err)
		}
		w.engine = newEngine() // nothing is left in memory
		again := &mortal{port: w.port(), paid: out.paid, lost: out.lost}
		if err := addAndEvolve(w, again); err != nil {
			t.Fatalf("killed at effect %d, run again: %v", at, err)
		}
	}
	out.export = w.export("b")
	return out
}

func addAndEvolve(w *world, port effect.Port) error {
	var sessions []core.InputSession
	for i := range 10 {
		session := unclear(fmt.Sprintf("s%02d", i), fmt.Sprintf("2026-01-%02dT10:00:00Z", i+1), 8)
		for j := range session.Turns { // no two prompts are the same
			session.Turns[j].Text += fmt.Sprintf(" That was door %d.", i*8+j)
		}
		sessions = append(sessions, session)
	}
	for _, step := range []struct {
		verb    string
		request any
	}{{"add", core.AddRequest{Call: w.head("b"), Sessions: sessions}}, {"evolve", core.EvolveRequest{Call: w.head("b")}}} {
		request, err := json.Marshal(step.request)
		if err != nil {
			return err
		}
		reply, err := w.engine.Call(context.Background(), port, step.verb, request)
		if err != nil {
			return err
		}
		var stopped struct{ Stopped *effect.Error }
		if err := json.Unmarshal(reply, &stopped); err != nil {
			return err
		}
		if stopped.Stopped != nil {
			return stopped.Stopped
		}
	}
	return nil
}

// firstDifference shows the first lines at which two exports part.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return g[i] + "\nwant\n" + w[i]
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}
