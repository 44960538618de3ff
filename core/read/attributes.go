package read

import (
	"slices"
	"strings"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// attributesIn names the profile attributes that the words of a question ask
// for, as profiles call them. A relation ("sister") is an attribute too.
func attributesIn(q string, words []string) []string {
	out := denseAttributes(q)
	where := text.AskOf(q) == text.AskWhere
	for _, w := range words {
		names := askedBy(w)
		if where && len(names) > 1 && names[0] == "employer" {
			names = names[:1] // where one works, not as what
		}
		for _, a := range names {
			if !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}

// askedBy names the attributes that one word asks for, relations with them.
func askedBy(word string) []string {
	names := attributesOf(word)
	if relationWords[word] {
		names = append(names, word)
	}
	return names
}

// attributesOf names the attributes that a word asks for.
func attributesOf(word string) []string {
	if names := attributeWords[word]; names != "" {
		return strings.Split(names, "|")
	}
	return nil
}

var attributeWords = tabled(map[string]string{
	"employer|occupation": "job jobs work works working employed arbeitet arbeitete arbeite gearbeitet trabaja trabajaba trabajo",
	"employer":            "employer company arbeitgeber",
	"occupation":          "career profession occupation beruf profesion",
	"location": "live lives living home city town country address move moved based wohnt wohnte wohne wohnen gewohnt lebt lebte gelebt wohnort vive vivia " +
		"vivio vivo ciudad",
	"origin":              "hometown born from originally woher",
	"hobby|habit":         "hobby hobbies pastime pastimes activity activities hobbys aficion aficiones",
	"likes":               "like likes love loves enjoy enjoys prefer prefers interests",
	"dislikes":            "dislike dislikes hate hates",
	"pet":                 "pet pets dog dogs cat cats haustier haustiere mascota mascotas",
	"family":              "siblings family children kids",
	"relationship status": "married single dating relationship",
	"diet":                "diet eat eats vegetarian vegan",
	"allergy":             "allergy allergies allergic allergie allergien allergisch alergia alergias alergico alergica",
	"age":                 "age old",
	"birthday":            "birthday",
	"name":                "name",
})

// denseAttributes names the attributes that a Chinese question asks for, as
// the rules for Chinese call them.
func denseAttributes(q string) []string {
	var out []string
	for _, a := range []struct{ word, attribute string }{
		{"住", "住在"}, {"工作", "工作单位"}, {"上班", "工作单位"}, {"职业", "职业"}, {"来自", "来自"}, {"宠物", "宠物"}, {"过敏", "过敏"}, {"名字", "姓名"},
		{"爱好", "爱好"}, {"爱好", "喜欢"}, {"喜欢", "喜欢"}, {"习惯", "习惯"},
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

// asksForValues reports that the question asks for nothing but an attribute that
// may have several values ("what pets has Mara got?"). Each of them answers, and
// is shown though its turn is.
func (c *composer) asksForValues(cand Candidate) bool {
	p := cand.Memory.Profile
	if p == nil || p.Single || !containsFold(c.f.Plan.Constraints.Attributes, p.Attribute) || !c.about(p) {
		return false
	}
	switch text.AskOf(c.f.Question.Text) {
	case text.AskWhen, text.AskWhere, text.AskWhy, text.AskHow, text.AskHowLong:
		return false
	}
	if denseQuestion(c.f.Question.Text) {
		return c.asksOnlyDense(p)
	}
	return c.asksOnly(p.Attribute)
}

// asksOnly reports that every word of the question that says something asks for
// the attribute. Of another language than English it is not known which words
// say nothing; a few may stand beside.
func (c *composer) asksOnly(attribute string) bool {
	const (
		light    = " got own owns keep keeps name names named called kind kinds type types sort sorts anything something "
		relation = " who whom name names named called have has any "
		foreign  = 3
	)
	tokens, refs := c.f.Question.bare()
	left, english, related := 0, true, !relationWords[attribute]
	for i, t := range tokens {
		names := askedBy(t.Text)
		switch {
		case i > 0 && i == len(tokens)-1 && (t.Text == "do" || t.Text == "doing"):
			return false // "what does her dog do?"
		case containsFold(names, attribute):
			english = english && !among(" haustier haustiere mascota mascotas hobbys aficion aficiones allergie allergien allergisch alergia alergias alergico alergica ", t.Text)
		case text.Stop(t.Text), among(light, t.Text), within(refs, t.Start), whenOf(t.Text, "to") != untold:
			related = related || among(relation, t.Text)
		default:
			left++
		}
	}
	return related && (left == 0 || !english && left <= foreign)
}

// among reports whether a word stands on a list of words between spaces.
//
//go:noinline
func among(list, w string) bool { return strings.Contains(list, " "+w+" ") }

// asksOnlyDense is asksOnly for Chinese: few signs are left beside the attribute
// and whose it is.
func (c *composer) asksOnlyDense(p *mem.Profile) bool {
	const besides = 5
	left := strings.ReplaceAll(c.f.Question.Text, p.Subject, "")
	for _, a := range []string{"宠物", "过敏", "爱好", "喜欢", "习惯"} {
		left = strings.ReplaceAll(left, a, "")
	}
	n := 0
	for _, r := range left {
		if r >= 0x4e00 && r <= 0x9fff {
			n++
		}
	}
	return n <= besides
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
	tokens, refs := c.f.Question.bare()
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
