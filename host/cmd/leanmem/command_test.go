package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// binary is the real command, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(withBinary(m)) }

func withBinary(m *testing.M) int {
	dir, err := os.MkdirTemp("", "leanmem-command-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "leanmem")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		panic(string(out))
	}
	return m.Run()
}

type ran struct {
	out, errs string
	code      int
}

func leanmem(t *testing.T, in string, args ...string) ran {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Stdin = strings.NewReader(in)
	// A person's own settings must not reach the test.
	cmd.Env = append(os.Environ(), "LEANMEM_STORE=", "LEANMEM_BANK=", "LEANMEM_LLM_URL=", "LEANMEM_LLM_MODEL=", "LEANMEM_EMBED_URL=", "LEANMEM_EMBED_MODEL=")
	cmd.Dir = t.TempDir()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ran{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func (r ran) ok(t *testing.T) ran {
	t.Helper()
	if r.code != 0 {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.errs)
	}
	return r
}

func testdata(name string) string {
	path, err := filepath.Abs(filepath.Join("..", "..", "..", "testdata", "dialogues", name))
	if err != nil {
		panic(err)
	}
	return path
}

func storeFlag(t *testing.T) string { return "--store=buntdb:" + filepath.Join(t.TempDir(), "m.db") }

// wrongWays are wrong ways of asking with what is said of each. dir is a folder.
func wrongWays(dir string) []wrongWay {
	return []wrongWay{
		{[]string{"remember"}, `there is no command "remember"`},
		{[]string{"add"}, "needs a file"},
		{[]string{"add", "a", "b"}, "one file"},
		{[]string{"add", "--format", "xml", "a"}, "locomo, longmemeval, jsonl, chat"},
		{[]string{"search"}, "needs a question"},
		{[]string{"search", "where", "now"}, "quotes"},
		{[]string{"search", "x", "--budget", "0"}, "--budget 0"},
		{[]string{"search", "x", "--budget", "many"}, "many"},
		{[]string{"search", "x", "--after", "someday"}, "--after"},
		{[]string{"search", "x", "--kind", "dream"}, "profile, event, record and turn"},
		{[]string{"search", "x", "--colour"}, "--colour"},
		{[]string{"answer"}, "needs a question"},
		{[]string{"list", "--label", "x"}, "KEY=VALUE"},
		{[]string{"delete"}, "at least one restriction"},
		{[]string{"drop"}, "--bank"},
		{[]string{"drop", "--bank", "x"}, "--yes"},
		{[]string{"restore"}, "--all"},
		{[]string{"stats", "--store", "nowhere"}, "buntdb:"},
		{[]string{"stats", "--store", "mysql:x"}, "postgres://"},
		{[]string{"stats", "--store", "buntdb:" + dir}, "folder"},
		{[]string{"stats", "--store", "memory:", "--engine", "jvm"}, "native"},
		{[]string{"stats", "--now", "later"}, "--now"},
		{[]string{"add", testdata("friends.jsonl"), "--store", "memory:", "--llm-url", "http://localhost:1"}, "--llm-model"},
		{[]string{"update", "p1", "--store", "memory:"}, "--value"},
		{[]string{"bench"}, "files or folders"},
		{[]string{"search", "x", "--off", "planning,foo"}, `"foo"; there are filter, segmentation`},
		{[]string{"add", testdata("friends.jsonl"), "--store", "memory:", "--llm-timeout", "soon"}, "--llm-timeout takes a time span"},
		{[]string{"add", "--text", "x"}, "--speaker"},
		{[]string{"add", "--text", "x", "--role", "king"}, "none of peer"},
		{[]string{"add", "--text", "x", "--speaker", "A", "--time", "soon"}, "--time"},
		{[]string{"add", testdata("friends.jsonl"), "--role", "user"}, "go with --text"},
		{[]string{"add", testdata("friends.jsonl"), "--question", "q1"}, "this one is jsonl"},
		{[]string{"add", dir}, "is a folder"},
		{[]string{"import", dir}, "is a folder"},
		{[]string{"search", "--queries", dir}, "is a folder"},
		{[]string{"restore", "s01:7"}, "'delete' shows"},
		{[]string{"help", "nonsense"}, `"nonsense"`},
		{[]string{"add", ""}, "name of the file is empty"},
		{[]string{"import", ""}, "name of the file is empty"},
		{[]string{"export", dir, "--store", "memory:"}, "is a folder"},
		{[]string{"export", filepath.Join(dir, "no", "x"), "--store", "memory:"}, "there is no folder"},
		{[]string{"list", "--page", "x", "--store", "memory:"}, "--page"},
		{[]string{"list", "--bank", "a\xff", "--store", "memory:"}, "--bank"},
		{[]string{"list", "--store", "memory:", "--now", "0001-01-01"}, "--now"},
		{[]string{"answer", "x", "--store", "memory:", "--llm-url", "ftp://x", "--llm-model", "m"}, "--llm-url: "},
		{[]string{"answer", "x", "--store", "memory:", "--embed-url", "ftp://x", "--embed-model", "m"}, "--embed-url: "},
		{[]string{"answer", "x", "--store", "memory:", "--tag-url", "ftp://x"}, "--tag-url: "},
		{[]string{"answer", "x", "--store", "memory:", "--llm-parallel", "-1"}, "--llm-parallel is negative"},
		{[]string{"stats", "--store", "buntdb:" + os.DevNull}, "no regular file"},
	}
}

type wrongWay struct {
	args []string
	want string
}

func TestWrongWaysOfAskingExitWith2AndSayWhatIsRight(t *testing.T) {
	for _, c := range wrongWays(t.TempDir()) {
		r := leanmem(t, "", c.args...)
		if r.code != 2 || !strings.Contains(r.errs, c.want) || !strings.Contains(r.errs, "--help") {
			t.Errorf("leanmem %s: exit %d, %q; want 2 and %q", strings.Join(c.args, " "), r.code, r.errs, c.want)
		}
		if r.out != "" {
			t.Errorf("leanmem %s printed %q", strings.Join(c.args, " "), r.out)
		}
	}
}

func TestFailuresExitWith1(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"search", "x", "--store", "buntdb:" + filepath.Join(t.TempDir(), "none.db")}, "there is no store"},
		{[]string{"add", testdata("friends.jsonl"), "--store", "buntdb:" + filepath.Join(t.TempDir(), "no", "folder.db")}, "no folder"},
		{[]string{"add", "absent.jsonl", "--store", "memory:"}, "absent.jsonl"},
		{[]string{"search", "x", "--store", "memory:"}, "bank"},
		{[]string{"add", "--format", "chat", testdata("friends.jsonl"), "--store", "memory:"}, "role"},
	} {
		r := leanmem(t, "", c.args...)
		if r.code != 1 || !strings.Contains(r.errs, c.want) {
			t.Errorf("leanmem %s: exit %d, %q; want 1 and %q", strings.Join(c.args, " "), r.code, r.errs, c.want)
		}
	}
	r := leanmem(t, "", "search", "x", "--store", "memory:", "--json")
	var e struct {
		Error struct{ Code, Message string }
	}
	if json.Unmarshal([]byte(r.out), &e) != nil || e.Error.Code != "bank_not_found" || e.Error.Message == "" {
		t.Errorf("with --json the error is %q", r.out)
	}
}

// keys lists the fields of a JSON object.
func keys(t *testing.T, line string) []string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("%v in %.200q", err, line)
	}
	return sortedKeys(m)
}

func TestSearchIsTheFixedInterface(t *testing.T) {
	store := storeFlag(t)
	leanmem(t, "", store, "--bank", "B", "add", "--format", "jsonl", testdata("friends.jsonl")).ok(t)
	queries := filepath.Join(t.TempDir(), "q.jsonl")
	text := `{"id":"a","query":"What is the name of Maren's cat?"}` + "\n" + `{"id":7,"query":"Where does Maren live?","time":"2025-10-01"}` + "\n"
	if err := os.WriteFile(queries, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{store, "--bank", "B", "search", "--budget", "400", "--queries", queries, "--json", "--now", "2025-12-01"}
	first := leanmem(t, "", args...).ok(t)
	lines := strings.Split(strings.TrimSpace(first.out), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines for 2 questions", len(lines))
	}
	want := []string{"confidence", "evidence", "id", "items", "ms", "paths", "query", "sufficient", "tokens", "usage"}
	if got := keys(t, lines[0]); !slices.Equal(got, want) {
		t.Errorf("fields %q, want %q", got, want)
	}
	var f found
	if err := json.Unmarshal([]byte(lines[0]), &f); err != nil {
		t.Fatal(err)
	}
	if f.ID != "a" || f.Tokens == 0 || f.Tokens > 400 || len(f.Items) == 0 || !strings.Contains(f.Evidence, "Pixel") {
		t.Errorf("found %+v", f)
	}
	for _, i := range f.Items {
		if !strings.Contains(f.Evidence, i.Text) || len(i.Sources) == 0 || i.Date == "" {
			t.Errorf("item %+v does not stand in the evidence with source and date", i)
		}
	}
	if again := leanmem(t, "", args...).ok(t); withoutMS(t, again.out) != withoutMS(t, first.out) {
		t.Error("a second run gives other lines")
	}
}

// withoutMS drops what may differ between runs.
func withoutMS(t *testing.T, out string) string {
	t.Helper()
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		delete(m, "ms")
		_ = json.NewEncoder(&b).Encode(m)
	}
	return b.String()
}

func TestEveryVerbPrintsJSON(t *testing.T) {
	store := storeFlag(t)
	export := filepath.Join(t.TempDir(), "export.jsonl")
	do := func(in string, args ...string) string {
		t.Helper()
		return leanmem(t, in, append([]string{store, "--json", "--now", "2025-12-01"}, args...)...).ok(t).out
	}
	var added addReport
	if err := json.Unmarshal([]byte(do("", "add", testdata("friends.jsonl"))), &added); err != nil || added.Added != 234 || added.Sessions != 15 {
		t.Fatalf("add: %+v, %v", added, err)
	}
	if err := json.Unmarshal([]byte(do("", "add", testdata("friends.jsonl"))), &added); err != nil || added.Known != 234 || added.Added != 0 {
		t.Errorf("add again: %+v, %v", added, err)
	}
	do("", "add", "--text", "I live in Porto now", "--speaker", "Ana", "--session", "extra")
	for _, args := range [][]string{
		{"flush"}, {"evolve"}, {"search", "cat"}, {"answer", "What is the cat called?"}, {"list", "--kind", "turn", "--limit", "3"},
		{"get", "s01:7"}, {"history", "--subject", "Maren"}, {"delete", "--about", "Pixel", "--dry-run"}, {"delete", "--session", "s02"},
		{"restore", "--all"}, {"expire"}, {"reprocess"}, {"stats"}, {"banks"}, {"version"},
	} {
		if out := do("", args...); strings.Count(out, "\n") != 1 || !json.Valid([]byte(out)) {
			t.Errorf("%s printed no line of JSON: %.200q", args[0], out)
		}
	}
	do("", "export", export)
	whole, _ := os.ReadFile(export)
	if !strings.HasPrefix(string(whole), `{"header":`) {
		t.Errorf("the export begins %.80q", whole)
	}
	do(string(whole), "--bank", "copy", "import", "-")
	if out := do("", "--bank", "copy", "export", "-"); out != string(whole) {
		t.Errorf("export → import → export changed the bank: %d and %d bytes", len(whole), len(out))
	}
	do("", "--bank", "copy", "drop", "--yes")
	if out := do("", "banks"); strings.Contains(out, "copy") {
		t.Errorf("a dropped bank is listed: %s", out)
	}
}

func TestAnInterruptedAddSaysWhatIsStoredAndGoesOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts are sent there")
	}
	dir := t.TempDir()
	long := filepath.Join(dir, "long.jsonl")
	var b bytes.Buffer
	for s := range 200 {
		for i := range 20 {
			_ = json.NewEncoder(&b).Encode(map[string]any{"session": "s" + number(s), "speaker": "Ana", "time": "2025-01-02T10:00:00Z",
				"text": "On day " + number(s) + " I planted tree number " + number(i) + " behind the old mill near the river."})
		}
	}
	if err := os.WriteFile(long, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	store := "--store=buntdb:" + filepath.Join(dir, "m.db")
	cmd := exec.Command(binary, store, "add", long)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Once something is stored, interrupt.
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if info, err := os.Stat(filepath.Join(dir, "m.db")); err == nil && info.Size() > 100_000 {
			break
		}
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Wait()
	if cmd.ProcessState.ExitCode() != 130 || !strings.Contains(errs.String(), "Run the same command again") {
		t.Fatalf("exit %d: %s", cmd.ProcessState.ExitCode(), errs.String())
	}
	var added addReport
	out := leanmem(t, "", store, "--json", "add", long).ok(t).out
	if err := json.Unmarshal([]byte(out), &added); err != nil || added.Known == 0 || added.Known+added.Added != 4000 {
		t.Errorf("the second add: %d known and %d added of 4,000: %v", added.Known, added.Added, err)
	}
}
