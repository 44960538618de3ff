package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestLimitsStopCleanlyAndTheSameCommandGoesOn(t *testing.T) {
	file := unclearFile(t, 24)
	undisturbed := newChatServer(t)
	whole := undisturbed.caller(t)
	whole.add(file)
	want := evolvedExport(whole)
	for _, limit := range [][]string{{"--max-calls", "1"}, {"--budget-tokens", "4500"}} {
		s := newChatServer(t)
		c := s.caller(t, limit...)
		runs := 0
		for {
			runs++
			calls := s.count()
			r := c.add(file)
			if s.count()-calls > 3 {
				t.Errorf("%v: %d calls in one run", limit, s.count()-calls)
			}
			if r.Stopped == nil {
				break
			}
			if r.Stopped.Code != "limit_reached" || r.Pending == 0 || r.Usage["schedule"].Calls == 0 || runs > 20 {
				t.Fatalf("%v, run %d: stopped %+v, pending %d, usage %+v", limit, runs, r.Stopped, r.Pending, r.Usage)
			}
		}
		if again := s.twice(); runs < 2 || len(again) > 0 {
			t.Errorf("%v: %d runs, paid for twice: %q", limit, runs, again)
		}
		c.with = c.with[:8]
		sameBank(t, evolvedExport(c), want)
	}
}

// evolvedExport is the bank once nothing waits in its buffer.
func evolvedExport(c caller) string {
	c.t.Helper()
	c.run("evolve").ok(c.t)
	return c.export()
}

func TestTheLedgerIsInStatsWithItsPrice(t *testing.T) {
	s := newChatServer(t)
	c := s.caller(t)
	r := c.add(unclearFile(t, 16))
	st := c.stats()
	for stage, u := range r.Usage {
		if got := st.Totals[stage]; got != u || u.Prompt == 0 || u.Completion == 0 {
			t.Errorf("%s: stats tell %+v, the add %+v", stage, got, u)
		}
	}
	out := leanmem(t, "", append([]string{c.store, "stats", "--price-in", "2", "--price-out", "8"}, c.with...)...).ok(t).out
	u := st.Totals["schedule"]
	for _, total := range st.Totals {
		if total.Calls == 0 {
			t.Errorf("a stage without calls: %+v", st.Totals)
		}
	}
	cost := fmt.Sprintf("cost %.4f", (float64(u.Prompt)*2+float64(u.Completion)*8)/1e6)
	if !strings.Contains(out, cost) || !strings.Contains(out, "model: ") {
		t.Errorf("%q does not stand in\n%s", cost, out)
	}
}

func TestARecordedRunIsRepeatedOfflineByteForByte(t *testing.T) {
	s := newChatServer(t)
	file, tape := unclearFile(t, 16), filepath.Join(t.TempDir(), "tape.jsonl")
	steps := func(c caller) string {
		var out strings.Builder
		for _, args := range [][]string{{"add", file}, {"evolve"}, {"search", "Whose cabinet squeaks?"}, {"answer", "Whose cabinet squeaks?"}, {"stats"}} {
			out.WriteString(withoutMS(t, c.run(args...).ok(t).out))
		}
		return out.String() + c.export()
	}
	recorded := s.caller(t, "--record", tape)
	want := steps(recorded)
	written, err := os.ReadFile(tape)
	if err != nil || len(written) == 0 {
		t.Fatalf("%d bytes, %v", len(written), err)
	}
	for _, secret := range []string{"verysecret", "Bearer", "Authorization", "squeaks?", s.url} {
		if strings.Contains(string(written), secret) {
			t.Errorf("%q stands in the cassette", secret)
		}
	}
	calls := s.count()
	offline := caller{t, storeFlag(t), []string{"--now", "2025-12-01", "--llm-model", "m", "--replay", tape}}
	if got := steps(offline); got != want {
		t.Errorf("the replay gives another run:\n%s\n%s", got, want)
	}
	if s.count() != calls {
		t.Error("the replay called the server")
	}
	if r := leanmem(t, "", "add", file, "--store", "memory:", "--record", tape, "--replay", tape); r.code != 2 {
		t.Errorf("both at once: exit %d, %s", r.code, r.errs)
	}
	if r := leanmem(t, "", "add", file, "--store", "memory:", "--record", tape); r.code != 2 {
		t.Errorf("nothing to record: exit %d, %s", r.code, r.errs)
	}
}

func TestStreamsOfAnAnswer(t *testing.T) {
	s := newChatServer(t)
	c := s.caller(t)
	c.add(unclearFile(t, 2))
	ask := func() ran {
		return leanmem(t, "", append([]string{c.store, "answer", "Whose cabinet squeaks?"}, c.with...)...).ok(t)
	}
	if r := ask(); strings.Contains(r.out, "{") || !strings.Contains(r.out, "cabinet") {
		t.Errorf("streamed: %q", r.out)
	}
	for name, fault := range map[string]func(w http.ResponseWriter){
		"slow": func(w http.ResponseWriter) {
			for i, part := range []string{`{"answer":"Ana`, `'s.","cites":["1"],`, `"known":true}`} {
				fmt.Fprint(w, ": keep-alive\n\n"+chunk(part, []string{"", "", "stop"}[i]))
				w.(http.Flusher).Flush()
				time.Sleep(150 * time.Millisecond)
			}
			fmt.Fprint(w, "data: [DONE]\n\n")
		},
		"cut off": func(w http.ResponseWriter) {
			fmt.Fprint(w, chunk(`{"answer":"An`, ""))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
		"ended early": func(w http.ResponseWriter) { fmt.Fprint(w, chunk(`{"answer":"An`, "")) },
	} {
		s.set(func(_ int, w http.ResponseWriter, r chatRequest) bool {
			if r.Stream {
				fault(w)
			}
			return r.Stream
		})
		r := ask()
		if slow := name == "slow"; slow == strings.Contains(r.errs, "rules took over") {
			t.Errorf("%s: %q, %q", name, r.out, r.errs)
		}
		if want := map[string]string{"slow": "Ana's.\n"}[name]; !strings.Contains(r.out, "cabinet") && r.out != want {
			t.Errorf("%s: %q, want %q", name, r.out, want)
		}
	}
}

// A process that is killed while the server answers, at any call, and started
// again pays for nothing twice: what arrived was kept, whether or not the rest
// of its request had.
func TestAKillBetweenModelCallsPaysForNothingTwice(t *testing.T) {
	file := unclearFile(t, 24)
	undisturbed := newChatServer(t)
	whole := undisturbed.caller(t, "--llm-parallel", "1")
	whole.add(file)
	want := evolvedExport(whole)
	calls := undisturbed.count()
	for kill := 2; kill <= calls; kill++ {
		s := newChatServer(t)
		c := s.caller(t, "--llm-parallel", "1")
		reached, dead := make(chan struct{}), make(chan struct{})
		var hit atomic.Bool
		s.set(func(n int, _ http.ResponseWriter, _ chatRequest) bool {
			if n != kill || hit.Swap(true) {
				return false
			}
			close(reached)
			<-dead
			return true
		})
		for _, verb := range [][]string{{"add", file}, {"evolve"}} {
			cmd := exec.Command(binary, append(append([]string{c.store}, c.with...), verb...)...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() { _ = cmd.Wait(); close(ended) }()
			select {
			case <-reached:
				if !hit.Load() {
					continue
				}
				_ = cmd.Process.Kill()
				<-ended
			case <-ended:
				continue
			}
			break
		}
		close(dead)
		c.run("add", file).ok(t)
		got := evolvedExport(c)
		if again := s.twice(); len(again) > 0 {
			t.Errorf("killed at call %d: paid for twice: %q", kill, again)
		}
		sameBank(t, got, want)
		if left, _ := filepath.Glob(strings.TrimPrefix(c.store, "--store=buntdb:") + "*.replies"); len(left) > 0 {
			t.Errorf("killed at call %d: %q is left", kill, left)
		}
	}
}

func TestATaggerNamesKeywordsOfRecords(t *testing.T) {
	file := unclearFile(t, 2)
	s := newChatServer(t)
	s.set(func(_ int, w http.ResponseWriter, r chatRequest) bool {
		if r.Format == nil || stages[r.Format.Schema.Name] != "tag" {
			return false
		}
		says(w, `{"entities":[{"n":1,"text":"left door","label":"thing"},{"n":1,"text":"Atlantis","label":"place"}]}`, "stop", 50, 20)
		return true
	})
	own := http.NewServeMux()
	own.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Texts []string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		out := make([][]map[string]any, len(in.Texts))
		for i := range out {
			out[i] = []map[string]any{{"text": "left door", "label": "thing"}}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"entities": out})
	})
	server := httptest.NewServer(own)
	t.Cleanup(server.Close)
	for name, with := range map[string][]string{
		"a chat model": {"--llm-url", s.url, "--llm-model", "m", "--tag-model", "m"},
		"a server":     {"--tag-url", server.URL},
	} {
		t.Run(name, func(t *testing.T) {
			c := caller{t, storeFlag(t), append([]string{"--now", "2025-12-01"}, with...)}
			c.add(file)
			export := c.export()
			if !strings.Contains(export, `"left door"`) || strings.Contains(export, "Atlantis") {
				t.Errorf("keywords of the tagger: %.2000s", export)
			}
		})
	}
}
