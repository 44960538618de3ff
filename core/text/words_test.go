package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	cases := []struct{ in, want string }{
		{"", ""},
		{"Hello, World!", "hello world"},
		{"Mel's and the kids' toys", "mel and the kids toys"},
		{"I don’t know, she'll come", "i don't know she'll come"},
		{"我每天骑车上班", "我每 每天 天骑 骑车 车上 上班"},
		{"我用Python写代码", "我用 python 写代 代码"},
		{"车", "车"},
		{"猫がいる。", "猫が がい いる"},
		{"2023年5月7日", "2023 年 5 月 7 日"},
		{"สวัสดี", "สวั วัส สดี"},
		{"좋아해요", "좋아 아해 해요"},
		{`C:\tmp | a/b -x "q"`, `c:\tmp c tmp a/b a b -x x q`},
		{"mail jo.smith+news@example.org now", "mail jo.smith+news@example.org jo smith news example org now"},
		{"on 2023-05-07 at 5:30pm", "on 2023-05-07 2023 05 07 at 5:30pm 5 30pm"},
		{"5/7/2023", "5/7/2023 5 7 2023"},
		{"1,000 or 1,234,567.5 and 3.14", "1000 or 1234567.5 and 3.14"},
		{"1, 2,3", "1 2 3"},
		{"v1.2.3", "v1.2.3 v1 2 3"},
		{"self-care is key-", "self care is key"},
		{"wait... what?!", "wait what"},
		{"--verbose mode", "--verbose verbose mode"},
		{"snake_case", "snake_case snake case"},
		{"Café naïve Straße Ångström ＡＢＣ１２", "cafe naive strasse angstrom abc12"},
		{"l'eau qu'il aujourd'hui O'Brien", "eau il aujourd'hui o'brien"},
		{"Мой ёжик, Йод", "мой ежик йод"},
		{"ذَهَبَ ٣٤", "ذهب 34"},
		{"नमस्ते दुनिया", "नमस्ते दुनिया"},
		{"ΟΔΟΣ οδός", "οδοσ οδοσ"},
		{"👍🏽 ❤️", ""},
		{"bad \xff\xfe bytes", "bad bytes"},
		{"rock'n'roll", "rock'n'roll"},
		{"#fun @jo", "fun jo"},
	}
	for _, c := range cases {
		if got := strings.Join(Words(c.in), " "); got != c.want {
			t.Errorf("Words(%q)\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestWordsFindEachOther(t *testing.T) {
	for _, c := range []struct{ text, query string }{
		{"我每天骑车上班", "骑车"},
		{`the path C:\tmp | a/b -x "q"`, `C:\tmp`},
		{`the path C:\tmp | a/b -x "q"`, "-x"},
		{"see https://example.org/a?b=1.", "example.org"},
		{"meet at the cafe", "CAFÉ"},
		{"we paid $1,200", "1200"},
		{"韓国語を勉強する", "勉強"},
	} {
		words := Words(c.text)
		found := false
		for _, w := range Words(c.query) {
			found = found || slices.Contains(words, w)
		}
		if !found {
			t.Errorf("%q is not found in %q: %q", c.query, c.text, words)
		}
	}
}

func TestTokensPointAtTheText(t *testing.T) {
	s := "Zoë’s plan: 骑车上班, see a/b."
	want := []string{"Zoë", "plan", "骑车", "车上", "上班", "see", "a/b", "a", "b"}
	var got []string
	for _, tok := range Tokens(s) {
		got = append(got, s[tok.Start:tok.End])
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLongWordIsIndexedByItsBeginning(t *testing.T) {
	words := Words(strings.Repeat("é", 20000) + " " + strings.Repeat("ab", 500))
	for _, w := range words {
		if len(w) > maxTerm {
			t.Errorf("a term of %d bytes", len(w))
		}
	}
	if len(words) != 2 {
		t.Errorf("%d words", len(words))
	}
}

func TestStem(t *testing.T) {
	for in, want := range map[string]string{
		"painted": "paint", "painting": "paint", "agencies": "agenc", "happiness": "happi",
		"is": "is", "骑车": "骑车", "naïveté": "naïveté", "2023": "2023", "": "", "don't": "don't", "'''": "'",
	} {
		if got := Stem(in); got != want {
			t.Errorf("Stem(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestStop(t *testing.T) {
	for _, w := range []string{"the", "i'm", "don't", "who", "it", "we'll", "of"} {
		if !Stop(w) {
			t.Errorf("%q is a stop word", w)
		}
	}
	for _, w := range []string{"jazz", "o'brien", "paint", "骑车", "new", "year", ""} {
		if Stop(w) {
			t.Errorf("%q is no stop word", w)
		}
	}
	if !QuestionWord("when") || QuestionWord("the") {
		t.Error("question words")
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"Mel's café", "我每天骑车", `C:\tmp a/b -x`, "1,000.5 2023-05-07", "สวัสดี", "l'été ’s 's", "a..b--c", "-", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := Fold(Small(s)), Fold(s); got != want || len(Small(s)) != len(s) {
			t.Fatalf("%q, with small letters before, folds to %q, not to %q", s, got, want)
		}
		last := 0
		for _, tok := range Tokens(s) {
			if tok.Start < last || tok.End <= tok.Start || tok.End > len(s) {
				t.Fatalf("token %+v in %q", tok, s)
			}
			last = tok.Start
			if tok.Text == "" || !utf8.ValidString(tok.Text) || len(tok.Text) > 20*maxTerm {
				t.Fatalf("text of %+v in %q", tok, s)
			}
			if again := Fold(tok.Text); again != tok.Text {
				t.Fatalf("%q folds to %q", tok.Text, again)
			}
			Stem(tok.Text)
			Stop(tok.Text)
		}
	})
}

var turn = "Hey Priya! It was so good to see you at the market yesterday. I finally signed up for the pottery class we talked about, it starts on 12 May. What's new with you?"

func BenchmarkWords(b *testing.B) {
	b.SetBytes(int64(len(turn)))
	for b.Loop() {
		Words(turn)
	}
}

func BenchmarkWordsChinese(b *testing.B) {
	for b.Loop() {
		Words("我每天骑车上班,大概需要三十分钟。昨天下雨了,所以我坐了地铁。")
	}
}

func BenchmarkStem(b *testing.B) {
	words := Words(turn)
	for b.Loop() {
		for _, w := range words {
			Stem(w)
		}
	}
}
