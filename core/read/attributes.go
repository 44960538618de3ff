package read

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// attributesIn names the profile attributes that the words of a question ask
// for, as profiles call them. A relation ("sister") is an attribute too.
func attributesIn(q string) []string {
	out := denseAttributes(q)
	where := text.AskOf(q) == text.AskWhere
	for _, w := range text.Words(q) {
		names := attributesOf(w)
		if where && len(names) > 1 && names[0] == "employer" {
			names = names[:1] // where one works, not as what
		}
		if relationWords[w] {
			names = append(names, w)
		}
		for _, a := range names {
			if !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}

func attributesOf(word string) []string {
	switch word {
	case "job", "jobs", "work", "works", "working", "employed", "arbeitet", "arbeitete", "arbeite", "gearbeitet", "trabaja", "trabajaba", "trabajo":
		return []string{"employer", "occupation"}
	case "employer", "company", "arbeitgeber":
		return []string{"employer"}
	case "career", "profession", "occupation", "beruf", "profesion":
		return []string{"occupation"}
	case "live", "lives", "living", "home", "city", "town", "country", "address", "move", "moved", "based",
		"wohnt", "wohnte", "wohne", "wohnen", "gewohnt", "lebt", "lebte", "gelebt", "wohnort", "vive", "vivia", "vivio", "vivo", "ciudad":
		return []string{"location"}
	case "hometown", "born", "from", "originally", "woher":
		return []string{"origin"}
	case "hobby", "hobbies", "pastime", "pastimes", "activity", "activities":
		return []string{"hobby", "habit"}
	case "like", "likes", "love", "loves", "enjoy", "enjoys", "prefer", "prefers", "interests":
		return []string{"likes"}
	case "dislike", "dislikes", "hate", "hates":
		return []string{"dislikes"}
	case "pet", "pets", "dog", "dogs", "cat", "cats":
		return []string{"pet"}
	case "siblings", "family", "children", "kids":
		return []string{"family"}
	case "married", "single", "dating", "relationship":
		return []string{"relationship status"}
	case "diet", "eat", "eats", "vegetarian", "vegan":
		return []string{"diet"}
	case "allergy", "allergies", "allergic":
		return []string{"allergy"}
	case "age", "old":
		return []string{"age"}
	case "birthday", "name":
		return []string{word}
	}
	return nil
}

// denseAttributes names the attributes that a Chinese question asks for, as
// the rules for Chinese call them.
func denseAttributes(q string) []string {
	var out []string
	for _, a := range []struct{ word, attribute string }{
		{"住", "住在"}, {"工作", "工作单位"}, {"上班", "工作单位"}, {"职业", "职业"}, {"来自", "来自"}, {"宠物", "宠物"}, {"过敏", "过敏"}, {"名字", "姓名"},
	} {
		if strings.Contains(q, a.word) && !slices.Contains(out, a.attribute) {
			out = append(out, a.attribute)
		}
	}
	return out
}

// asksFor reports that a memory is the very attribute that the question asks
// for, of somebody whom it names or of the one who asks. Only of an attribute
// with one value at a time is that more than a topic.
func (c *composer) asksFor(cand Candidate) bool {
	p := cand.Memory.Profile
	if p == nil || !p.Single || !containsFold(c.f.Plan.Constraints.Attributes, p.Attribute) {
		return false
	}
	return c.about(p)
}

// about reports a fact of somebody whom the question names, or of the one who
// asks.
func (c *composer) about(p *mem.Profile) bool {
	return containsFold(c.f.Plan.Constraints.Entities, p.Subject) || c.f.Question.asker && p.Subject == string(mem.RoleUser)
}

// asksNoMore reports that hardly a word of the question is left beside the
// attribute that it asks for, whose it is, and when. What else is asked about
// ("the friend with whom she lives") an attribute does not answer.
func (c *composer) asksNoMore(attribute string) bool {
	const besides = 1
	q := c.f.Question.Bare
	refs := text.QueryTimes(q, c.f.Question.Time)
	tokens := text.Tokens(q)
	if len(tokens) == 0 || !text.Stop(tokens[0].Text) {
		return true // not English: which of its words say nothing is not known
	}
	var left []string
	of := contentStems(attribute)
	for _, t := range tokens {
		stem := text.Stem(t.Text)
		if !text.Stop(t.Text) && len(attributesOf(t.Text)) == 0 && !relationWords[t.Text] && whenOf(t.Text, "to") == untold &&
			!slices.Contains(of, stem) && !slices.Contains(c.moment.refers, stem) && !slices.Contains(left, stem) && !within(refs, t.Start) {
			left = append(left, stem)
		}
	}
	return len(left) <= besides
}
