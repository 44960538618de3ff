package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// errorCode is the code of the error that --json printed.
func (r ran) errorCode(t *testing.T) string {
	t.Helper()
	var e struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(r.out), &e); err != nil || e.Error.Message == "" {
		t.Fatalf("no error as JSON: %v in %q", err, r.out)
	}
	return e.Error.Code
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWrongWaysOfAskingAreInvalidArguments(t *testing.T) {
	for _, args := range [][]string{
		{"search", "x", "--colour", "--json"}, {"--json", "search"}, {"remember", "--json"}, {"search", "x", "--budget", "many", "--json"},
		{"search", "x", "--off", "foo", "--json"}, {"--json", "drop"}, {"--json", "add", "--text", "x"}, {"stats", "--store", "mysql:x", "--json"},
		{"add", "absent.jsonl", "--json"}, {"--json", "add", "--format", "chat", testdata("friends.jsonl")}, {"--json", "import", testdata("friends.jsonl")},
		{"--json", "search", "--queries", "absent.jsonl"},
	} {
		if r := leanmem(t, "", args...); r.code == 0 || r.errorCode(t) != "invalid_argument" {
			t.Errorf("%q: exit %d, %s", args, r.code, r.out)
		}
	}
}

func TestAnAddSaysWhatOfTheFileWasNotStored(t *testing.T) {
	path := written(t, "talk.jsonl", `{"speaker":"Ana","text":"I live in Porto."}`+"\n\nnull\n\n"+`{"text":"Who says so?"}`+"\n")
	r := leanmem(t, "", "--store", "memory:", "add", path)
	if r.code != 1 || !strings.Contains(r.errs, path+": read as jsonl: line 5: names neither speaker nor role") || !strings.Contains(r.errs, "--speaker NAME") || strings.Contains(r.errs, "again") {
		t.Errorf("exit %d, %s", r.code, r.errs)
	}
	r = leanmem(t, "", "--store", "memory:", "add", path, "--speaker", "Bo").ok(t)
	if !strings.Contains(r.out, "added 2 turns") || !strings.Contains(r.errs, "2 empty lines were passed over: line 2, line 4") || !strings.Contains(r.errs, "1 turn that says nothing") {
		t.Errorf("%s%s", r.out, r.errs)
	}
	var added addReport
	decode(t, leanmem(t, "", "--store", "memory:", "--json", "add", path, "--skip-bad").ok(t).out, &added)
	if added.Added != 1 || len(added.Warnings) != 3 || !strings.Contains(added.Warnings[2], "line 5") {
		t.Errorf("%+v", added)
	}
}

func TestABenchSaysWhatOfTheFilesWasLeftOut(t *testing.T) {
	path := written(t, "talk.jsonl", `{"id":"a","speaker":"Ana","text":"I live in Porto."}`+"\nnull\n")
	questions := strings.TrimSuffix(path, ".jsonl") + ".questions.jsonl"
	if err := os.WriteFile(questions, []byte(`{"question":"Where does Ana live?","answer":"Porto","evidence":["a"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := leanmem(t, "", "bench", path, "--methods", "full text").ok(t); !strings.Contains(r.errs, "warning: talk: 1 turn that says nothing was passed over: line 2") {
		t.Errorf("%s", r.errs)
	}
}

func TestAKeyThatIsRefusedSaysWhereToLook(t *testing.T) {
	s := newChatServer(t)
	s.set(always(func(w http.ResponseWriter) { fails(w, 401, "invalid_api_key", "no") }))
	r := leanmem(t, "", "--store", "memory:", "add", unclearFile(t, 4), "--llm-url", s.url, "--llm-model", "m").ok(t)
	if !strings.Contains(r.errs, "'flush' goes on") || !strings.Contains(r.errs, "--llm-key-env") {
		t.Errorf("%s", r.errs)
	}
}

func TestStandardInputIsLookedAt(t *testing.T) {
	for in, want := range map[string]string{
		`[{"role":"user","content":"I live in Porto."}]`:                                                       "added 1 turn",
		`{"messages":[{"role":"user","content":"a"}]}` + "\n" + `{"messages":[{"role":"user","content":"b"}]}`: "added 2 turns",
		`{"speaker":"Ana","text":"I live in Porto."}`:                                                          "added 1 turn",
	} {
		if r := leanmem(t, in, "--store", "memory:", "add", "-"); r.code != 0 || !strings.Contains(r.out, want) {
			t.Errorf("%s: exit %d, %s%s", in, r.code, r.out, r.errs)
		}
	}
	if r := leanmem(t, "\x00\x01", "--store", "memory:", "add", "-"); r.code != 1 || !strings.Contains(r.errs, "standard input: its format is not known") {
		t.Errorf("exit %d, %s", r.code, r.errs)
	}
}

// What is said with --text becomes memory at once, and its session can go on.
func TestWordsOfTheCommandLineBecomeMemoryAtOnce(t *testing.T) {
	store := storeFlag(t)
	say := func(more ...string) ran {
		t.Helper()
		return leanmem(t, "", append([]string{store, "--now", "2025-12-01T10:00:00Z", "add", "--speaker", "Ana", "--text"}, more...)...).ok(t)
	}
	if r := say("I live in Porto."); !strings.Contains(r.out, "1 profile") || strings.Contains(r.out, "not yet") {
		t.Errorf("the first: %s", r.out)
	}
	if r := say("I work as a nurse."); !strings.Contains(r.out, "1 profile") {
		t.Errorf("the second of the same session: %s", r.out)
	}
	if r := say("I have a cat called Tom.", "--open"); !strings.Contains(r.out, "1 turn not yet turned into memory") {
		t.Errorf("an open one: %s", r.out)
	}
	if r := leanmem(t, "", store, "flush").ok(t); !strings.HasPrefix(r.out, `turned 1 turn of bank "default" into memory`) || !strings.Contains(r.out, "1 profile") {
		t.Errorf("flush: %s", r.out)
	}
	if r := leanmem(t, "", store, "flush").ok(t); r.out != "nothing was waiting: every turn of bank \"default\" is memory already\n" {
		t.Errorf("flush again: %s", r.out)
	}
	if r := leanmem(t, "", store, "reprocess").ok(t); !strings.HasPrefix(r.out, `turned 3 turns of bank "default" into memory`) || !strings.Contains(r.out, "3 profiles") {
		t.Errorf("reprocess: %s", r.out)
	}
	var list struct{ Entries []struct{ Session string } }
	decode(t, leanmem(t, "", store, "--json", "list", "--kind", "turn").ok(t).out, &list)
	for _, e := range list.Entries {
		if e.Session != "2025-12-01" {
			t.Errorf("a turn in session %q", e.Session)
		}
	}
	for _, verb := range []string{"flush", "reprocess"} {
		if r := leanmem(t, "", store, verb, "none"); r.code != 1 || !strings.Contains(r.errs, `session "none"`) || strings.Contains(r.errs, "again") {
			t.Errorf("%s of no session: exit %d, %s", verb, r.code, r.errs)
		}
	}
}

func TestRestoreSaysWhetherAnythingWasLifted(t *testing.T) {
	store := storeFlag(t)
	leanmem(t, "", store, "add", "--text", "I live in Porto.", "--speaker", "Ana", "--session", "s").ok(t)
	var gone struct{ Entries []struct{ ID, Kind string } }
	decode(t, leanmem(t, "", store, "--json", "delete", "--session", "s").ok(t).out, &gone)
	i := slices.IndexFunc(gone.Entries, func(e struct{ ID, Kind string }) bool { return e.Kind == "turn" })
	if r := leanmem(t, "", store, "restore", "t00000000000000000000").ok(t); !strings.HasPrefix(r.out, "nothing to restore") {
		t.Errorf("another id: %s", r.out)
	}
	if r := leanmem(t, "", store, "restore", gone.Entries[i].ID).ok(t); r.out != "1 turn may be added again\n" {
		t.Errorf("the id that delete showed: %s", r.out)
	}
}

func TestHelpShowsAVerbsOwnFlagsFirst(t *testing.T) {
	r := leanmem(t, "", "search", "--help").ok(t)
	own, every := strings.Index(r.out, "--budget"), strings.Index(r.out, "--store")
	if own < 0 || every < own || strings.Contains(r.out, "--llm-url") || !strings.Contains(r.out, "leanmem help models") {
		t.Errorf("help of search:\n%s", r.out)
	}
	if n := strings.Count(r.out, "\n"); n > 45 {
		t.Errorf("it has %d lines", n)
	}
	r = leanmem(t, "", "help", "models").ok(t)
	for _, flag := range []string{"--llm-url", "--embed-model", "--tag-url", "--max-calls", "--price-in", "--off", "--record"} {
		if !strings.Contains(r.out, flag) {
			t.Errorf("help models does not show %s", flag)
		}
	}
}

func TestAnImportSaysWhichLineIsWrong(t *testing.T) {
	store := storeFlag(t)
	leanmem(t, "", store, "add", testdata("friends.jsonl")).ok(t)
	lines := strings.SplitAfter(leanmem(t, "", store, "export").ok(t).out, "\n")
	for wrong, want := range map[string]string{
		`{"turn":{"id":"t12","session":7}}` + "\n": `line 251 is not what export writes: field "turn.session" is a number; expected a text`,
		`{"turn":{"id":"x","session":"s"}}` + "\n": "line 251 is not what export writes: a turn needs an id",
		`{"speaker":"Ana","text":"secret"}` + "\n": "line 251 is not what export writes: it holds neither header",
		"secret\n": "line 251 is not what export writes: not JSON",
	} {
		in := strings.Join(lines[:250], "") + wrong + strings.Join(lines[250:], "")
		r := leanmem(t, in, "--store", "memory:", "import", "-")
		if r.code != 1 || !strings.Contains(r.errs, "standard input: "+want) || strings.Contains(r.errs, "Run the same") || strings.Contains(r.errs, "secret") || strings.Contains(r.errs, "Go ") {
			t.Errorf("%s: exit %d, %s", wrong, r.code, r.errs)
		}
	}
	if r := leanmem(t, "", "--store", "memory:", "import", "-"); r.code != 1 || !strings.Contains(r.errs, "empty") {
		t.Errorf("nothing: exit %d, %s", r.code, r.errs)
	}
}

// A command that waits for its input ends when it is interrupted.
func TestAnInterruptReachesAWaitingAdd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts are sent there")
	}
	in, feeder, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer feeder.Close()
	cmd := exec.Command(binary, "--store", "memory:", "--json", "add", "-")
	var out strings.Builder
	cmd.Stdin, cmd.Stdout = in, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := feeder.WriteString(`{"speaker":"Ana","text":"I live in Porto."}` + "\n"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	_ = cmd.Process.Signal(os.Interrupt)
	late := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	if !late.Stop() || cmd.ProcessState.ExitCode() != exitInterrupted || (ran{out: out.String()}).errorCode(t) != "canceled" {
		t.Errorf("exit %d, %s", cmd.ProcessState.ExitCode(), out.String())
	}
}

func TestAResultThatCannotBePrintedIsAFailure(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	defer full.Close()
	var errs strings.Builder
	if code := run(t.Context(), []string{"version"}, strings.NewReader(""), full, &errs); code != exitFailure || !strings.Contains(errs.String(), "print the result") {
		t.Errorf("exit %d, %s", code, errs.String())
	}
}

func TestAStateIsListedWithAsMuchOfItsDateAsIsKnown(t *testing.T) {
	store := storeFlag(t)
	path := written(t, "talk.jsonl", `{"speaker":"Ana","time":"2023-08-03T20:10:00Z","text":"I've been living in Berlin since May 2023."}`+"\n"+
		`{"speaker":"Bo","time":"2023-08-03T20:13:00Z","text":"I moved to Vienna last year."}`+"\n"+
		`{"speaker":"Cleo","time":"2023-08-03T20:14:00Z","text":"I moved to Porto on 2 June 2023."}`+"\n")
	leanmem(t, "", store, "add", path).ok(t)
	out := leanmem(t, "", store, "list", "--kind", "profile").ok(t).out
	for _, want := range []string{"2023-05", "2022", "2023-06-02"} {
		if !strings.Contains(out, " "+want+" ") {
			t.Errorf("%q is not the date of a state:\n%s", want, out)
		}
	}
}
