package tag_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/llm/scripted"
	"github.com/leanmem/leanmem/hostfuncs/tag"
)

func TestAModelNamesWhatStandsInTheTexts(t *testing.T) {
	const reply = `<think>{"entities":[]}</think>{"entities":[{"n":1,"text":"Ana","label":"person"},{"n":2,"text":"Lima","label":"place"},` +
		`{"n":2,"text":"Oslo","label":"place"},{"n":9,"text":"Bo","label":"person"},{"n":2,"text":"","label":""}]}`
	model := scripted.New(scripted.Rule{Stage: "tag", Reply: reply, PromptTokens: 100, OutputTokens: 20})
	tagger := tag.ByModel(model)
	got, err := tagger.Tag(context.Background(), []string{"Ana sings", "we met in Lima"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || len(got[0]) != 1 || len(got[1]) != 1 || got[0][0] != (effect.Entity{Text: "Ana", Label: "person", End: 3}) || got[1][0].Start != 10 {
		t.Errorf("entities %+v", got)
	}
	if u := tagger.Usage(); u.Calls != 1 || u.Prompt != 100 || u.Completion != 20 {
		t.Errorf("usage %+v", u)
	}
}

func TestAModelTaggerBatchesAndReadsAnything(t *testing.T) {
	model := scripted.New(scripted.Rule{Times: 1, Reply: "I cannot"}, scripted.Rule{Times: 1, Reply: `{"entities":[{"n":1,"te`}, scripted.Rule{Err: errors.New("down")})
	tagger := tag.ByModel(model)
	texts := make([]string, 32)
	for i := range texts {
		texts[i] = "Ana"
	}
	got, err := tagger.Tag(context.Background(), texts)
	if err != nil || len(got) != 32 || model.Count("tag") != 2 {
		t.Errorf("%d lists in %d calls, %v", len(got), model.Count("tag"), err)
	}
	if _, err := tagger.Tag(context.Background(), []string{strings.Repeat("x ", 9000)}); err == nil {
		t.Error("a failing model is no error")
	}
}
