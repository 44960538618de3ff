package write_test

import (
	"testing"
	"unicode/utf8"

	"github.com/leanmem/leanmem/core/mem"
)

// FuzzRules holds that no words of a dialogue make a rule panic, and that what
// the rules make is well formed.
func FuzzRules(f *testing.F) {
	for _, s := range []string{
		"My friend Bo, who hates fish, can't stand \"jazz\"", "Ana on Red", "now Blue", "I'm", "my", "I've been", "my dog's", "’m", "我的狗叫", "I love a, b and",
		"I moved to Berlin last Friday, 5 May 2021 and", "x's name is|'s", "our favourite is", "signed it today", "\xff\xfeI like \xc3", "I am 34", "we 've", "every Sunday mornings I",
	} {
		f.Add(s, "user", true)
	}
	f.Fuzz(func(t *testing.T, said, speaker string, user bool) {
		turns := dialogue("s", "2021-03-10T10:00:00Z", "a: "+said, "b: Why?", "a: "+said+" now", "b: "+said)
		for i := range turns {
			turns[i].Speaker = speaker
			if !user && i%2 == 1 {
				turns[i].Role = mem.RoleAssistant
			}
		}
		for _, m := range remember(turns) {
			if m.ID == "" || len(m.Sources) == 0 || m.Text() == "" || m.Kind == "" {
				t.Errorf("memory %+v", m)
			}
			if m.Profile != nil && (m.Profile.Value == "" || m.Profile.Attribute == "") {
				t.Errorf("profile %+v", m.Profile)
			}
			if utf8.ValidString(said) && utf8.ValidString(speaker) && !utf8.ValidString(m.Text()) {
				t.Errorf("%q was torn inside a character", m.Text())
			}
		}
	})
}
