package dialogue

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Sniff tells the format of a file from its name and its first bytes.
func Sniff(path string) (Format, error) {
	if strings.EqualFold(filepath.Ext(path), ".jsonl") {
		return JSONL, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	n, _ := f.Read(head)
	head = head[:n]
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
	return "", fmt.Errorf("%s: the format of this file is not known; name it", path)
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
		return nil, fmt.Errorf("%s: %w", path, nothing(format, Options{}))
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
