package dialogue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// headBytes is how much of a file is looked at to tell its format.
const headBytes = 64 << 10

// Sniff tells the format of a file from its name and its first bytes.
func Sniff(path string) (Format, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	format, err := SniffBytes(head[:n], Lines(path))
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return format, nil
}

// SniffBytes tells the format of a file from its first bytes. lines says that
// its name is that of JSON lines, which may still be chats, one a line.
func SniffBytes(head []byte, lines bool) (Format, error) {
	head, _ = io.ReadAll(decoded(bytes.NewReader(head))) // nothing in memory fails to be read
	head = bytes.TrimSpace(head)
	if len(head) == 0 {
		return "", errors.New("the file is empty")
	}
	first, _, _ := bytes.Cut(head, []byte("\n"))
	var fields map[string]json.RawMessage
	whole := json.Unmarshal(first, &fields) == nil // an object on a line of its own
	switch {
	case whole && fields["messages"] != nil, lines && bytes.HasPrefix(first, []byte(`{"messages"`)):
		return Chat, nil
	case lines || whole && (fields["text"] != nil || fields["content"] != nil):
		return JSONL, nil
	}
	for _, sign := range []struct {
		key    string
		format Format
	}{
		{`"haystack_`, LongMemEval}, {`"question_id"`, LongMemEval}, {`"dia_id"`, LoCoMo}, {`"speaker_a"`, LoCoMo},
		{`"sample_id"`, LoCoMo}, {`"qa"`, LoCoMo}, {`"messages"`, Chat}, {`"role"`, Chat}, {`"text"`, JSONL},
	} {
		if bytes.Contains(head, []byte(sign.key)) {
			return sign.format, nil
		}
	}
	return "", errors.New("its format is not known; it should be one of locomo, longmemeval, jsonl, chat")
}

// Lines reports whether a file's name is that of JSON lines.
func Lines(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".jsonl" || ext == ".ndjson"
}

// Name is a file's name without folder and extension, as Options.Name takes it.
func Name(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// Load reads every history of a file with its questions. Beside a JSON lines
// dialogue name.jsonl its questions stand in name.questions.jsonl.
func Load(path string) ([]*History, error) {
	format, err := Sniff(path)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []*History
	for h, err := range Histories(f, format, Options{Name: Name(path)}) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, h)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: %w", path, unread(format, nothing(Options{})))
	}
	if format != JSONL {
		return out, nil
	}
	q, err := os.Open(strings.TrimSuffix(path, filepath.Ext(path)) + ".questions.jsonl")
	if err != nil {
		return out, nil // a dialogue need not have questions
	}
	defer q.Close()
	if out[0].Questions, err = ReadQuestions(q); err != nil {
		return nil, fmt.Errorf("%s: %w", q.Name(), err)
	}
	return out, nil
}
