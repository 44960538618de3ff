package write_test

import (
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/write"
)

// dated is show with the beginnings that were told.
func dated(facts []mem.Profile) string {
	out := ""
	for i, f := range facts {
		if i > 0 {
			out += "; "
		}
		if out += show(facts[i : i+1]); f.Since.From != "" {
			out += " @" + f.Since.From
		}
	}
	return out
}

func testFacts(t *testing.T, tests [][2]string) {
	t.Helper()
	at := time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)
	for _, tt := range tests {
		if got := dated(write.Facts(tt[0], "Ana", at, write.People{"Ana": true})); got != tt[1] {
			t.Errorf("Facts(%q)\n got %s\nwant %s", tt[0], got, tt[1])
		}
	}
}

func TestWhatWasGivenUpComesBackAndWhatHeldEnds(t *testing.T) {
	testFacts(t, [][2]string{
		{"I no longer smoke.", "Ana habit!=smoking"},
		{"I don't smoke anymore", "Ana habit!=smoking"},
		{"I stopped smoking last year.", "Ana habit!=smoking @2025-01-01"},
		{"I'm smoking again.", "Ana habit=smoking"},
		{"I started smoking again", "Ana habit=smoking"},
		{"I'm back to smoking", "Ana habit=smoking"},
		{"I'm back to playing chess", "Ana hobby=chess"},
		{"I'm playing chess again", "Ana hobby=chess"},
		{"I'm smoking salmon for the party", ""},
		{"I want to stop smoking", ""},
		{"I drink wine again", ""},
		{"I'm no longer allergic to peanuts and milk.", "Ana allergy!=peanuts; Ana allergy!=milk"},
		{"I'm not allergic to peanuts anymore", "Ana allergy!=peanuts"},
		{"I'm not allergic to peanuts", ""},
	})
}

func TestAPetThatDiedIsNoLongerOne(t *testing.T) {
	testFacts(t, [][2]string{
		{"Our cat Momo died.", "Ana pet!=cat Momo"},
		{"Our cat Momo passed away last week", "Ana pet!=cat Momo"},
		{"We had to put our dog Rex down", "Ana pet!=dog Rex"},
		{"My dog died yesterday", "Ana pet!=dog"},
		{"My dog Rex is dead tired", "Ana pet=dog Rex"},
		{"If our cat Momo died I would cry", "Ana pet=cat Momo"},
		{"My dog died when I was ten", ""},
	})
}

func TestANameAfterIsIsAName(t *testing.T) {
	testFacts(t, [][2]string{
		{"My boss is Kim.", "Ana boss=Kim"},
		{"My manager is Kim Lee and she is kind", "Ana manager=Kim Lee"},
		{"My dog is Rex, he's a poodle", "Ana pet=dog Rex"},
		{"My boss is great", ""}, {"My boss is Dutch", ""}, {"My boss is HR", ""}, {"My cat is Siamese", ""}, {"My dog is a Labrador", ""},
		{"My boss is Kim's brother", ""},
	})
}

func TestWhatEndsInChinese(t *testing.T) {
	testFacts(t, [][2]string{
		{"我戒了烟", "Ana 习惯!=烟"},
		{"我又开始抽烟了。", "Ana 习惯=烟"},
		{"我不再对花生过敏", "Ana 过敏!=花生"},
	})
}
