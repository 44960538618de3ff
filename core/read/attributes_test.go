package read

import (
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/mem"
)

const household = `
== 2023-03-06
Mara: We adopted a cat from the shelter, Momo, she sleeps all day.
Bo: Does the vet on Elm Street treat a pet like that? What pet would Mara have next?
Mara: He treats any pet. Tea on the balcony was the best part of my week.
Bo: I put no nuts on the table, ever. Which hobbies do you have, Mara?
== 2023-08-20
小红: 我家的宠物越来越多了。
Bo: 宠物店又开了一家。
Mara: Pets are allowed in the new building, hobbies too, it seems.
Bo: Is anybody here allergic to cats?
`

// values makes profiles of attributes that hold several values at once, told in
// a turn that is shown.
func values(t *testing.T, list ...string) []mem.Memory {
	var out []mem.Memory
	told := dialogue(t, household).TurnAt(0)
	for i, s := range list {
		part := strings.Split(s, "|")
		m := state(string(rune('a'+i)), part[0], part[1], part[2], "2023-03-06", false)
		m.Sources = []string{told.ID}
		out = append(out, m)
	}
	return out
}

func TestAnAttributeOfSeveralValuesThatIsAskedForIsShownAndAnswersFirst(t *testing.T) {
	s := dialogue(t, household, values(t, "Mara|pet|cat Momo", "Mara|pet|parrot Kiki", "Mara|pet|tortoise", "Mara|pet|dog Rex", "Mara|pet|goldfish",
		"Mara|hobby|chess", "Mara|habit|swim every morning", "Bo|allergy|peanuts", "Bo|pet|gecko", "小红|宠物|狗旺财", "小红|宠物|一只猫")...)
	for question, want := range map[string][]string{
		"What pet does Mara have?":        {"cat Momo", "parrot Kiki", "tortoise", "dog Rex", "goldfish"},
		"What pets does Mara have?":       {"cat Momo", "parrot Kiki", "tortoise", "dog Rex", "goldfish"},
		"Which hobbies does Mara have?":   {"hobby: chess", "habit: swim every morning"},
		"What are Mara's hobbies?":        {"hobby: chess", "habit: swim every morning"},
		"Is Bo allergic to anything?":     {"allergy: peanuts"},
		"What is Bo allergic to?":         {"allergy: peanuts"},
		"小红有什么宠物？":                        {"狗旺财", "一只猫"},
		"Welche Haustiere hat Mara?":      {"cat Momo", "dog Rex"},
		"¿Qué mascotas tiene Mara?":       {"cat Momo", "dog Rex"},
		"Ist Bo gegen etwas allergisch?":  {"allergy: peanuts"},
		"Does Mara have any pets at all?": {"cat Momo", "dog Rex"},
	} {
		_, e := ask(s, question, 2000)
		a := AnswerByRules(e)
		for _, w := range want {
			if !strings.Contains(e.Text, w+" (since 6 March 2023)") || !strings.Contains(a.Text, w) {
				t.Errorf("%s: %q stands not in the answer %q or not in\n%s", question, w, a.Text, e.Text)
			}
		}
		if strings.Contains(a.Text, "gecko") {
			t.Errorf("%s: another's value in %q", question, a.Text)
		}
	}
}

// TestAnAttributeAnswersNoQuestionOfSomethingElse takes questions in which the
// word of an attribute is not what is asked for.
func TestAnAttributeAnswersNoQuestionOfSomethingElse(t *testing.T) {
	s := dialogue(t, household, values(t, "Mara|pet|cat Momo", "Mara|hobby|chess", "Bo|allergy|peanuts", "小红|宠物|狗旺财")...)
	for _, question := range []string{
		"Which vet operated on Mara's dog?", "What does Mara's cat eat?", "Where did Bo read about hobbies and money?",
		"Which doctor tested Bo for an allergy?", "小红去年在哪里给宠物打疫苗？",
	} {
		_, e := ask(s, question, 2000)
		if a := AnswerByRules(e); a.Known && strings.Contains(strings.SplitN(a.Text, "\n", 2)[0], "(6 March 2023)") && len(e.Items) > 0 && strings.HasPrefix(a.Sources[0], "p") {
			t.Errorf("%s: %q", question, a.Text)
		}
	}
}

func TestARuleMadeAnswerToWhenGivesTheDateThatThePhraseResolvesTo(t *testing.T) {
	s := dialogue(t, `
== 2023-05-11
Ana: I finished my first bowl last week. It leans a little.
Bo: Ich habe gestern das Boot verkauft.
`)
	for question, want := range map[string]string{
		"When did Ana finish the bowl?":    "(= 1–7 May 2023; said on 11 May 2023)",
		"Wann hat Bo das Boot verkauft?":   "(= 10 May 2023; said on 11 May 2023)",
		"What did Ana say about the bowl?": "(11 May 2023)",
	} {
		_, e := ask(s, question, 500)
		if a := AnswerByRules(e); !strings.Contains(a.Text, want) {
			t.Errorf("%s: %q, want %q", question, a.Text, want)
		}
	}
}
