package text

import (
	"slices"
	"strings"
	"testing"
)

func TestEntities(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Yesterday I met Ana Silva and Bo in New York.", "name:Ana Silva name:Bo name:New York"},
		{"Hey Caroline! How are you?", "name:Caroline"},
		{"Wow, that's great, Mel!", "name:Mel"},
		{"Caroline's dog is called Rex.", "name:Caroline name:Rex"},
		{"Melanie went home. I like Melanie.", "name:Melanie name:Melanie"},
		{"Painting is my passion. Pottery too. Honestly, I agree.", ""},
		{"We saw the Lord of the Rings at the Museum of Modern Art.", "name:Lord of the Rings name:Museum of Modern Art"},
		{"Dr. Lee and J. K. Rowling met at St. Mary's.", "name:Dr. Lee name:J. K. Rowling name:St. Mary"},
		{"I joined the LGBTQ group, OMG!", "acronym:LGBTQ"},
		{"WHAT A NICE DAY THIS IS", ""},
		{`I read "Becoming Nicole" and “The Hobbit”; he said "Go away."`, "title:Becoming Nicole title:The Hobbit"},
		{"Mail jo.smith@example.org, see https://example.org/a?b=1. or @jo_s #fun", "email:jo.smith@example.org url:https://example.org/a?b=1 handle:@jo_s handle:#fun"},
		{`open C:\tmp and /usr/lib/x, main.go`, `path:C:\tmp path:/usr/lib/x path:main.go`},
		{"I ran 5 km in 30 minutes, paid $25, got 10% off and 3.5 kg", "quantity:5 km quantity:30 minutes quantity:$25 quantity:10% quantity:3.5 kg"},
		{"In May on Friday I went", ""},
		{"Мы встретили Анну Петрову в Москве", "name:Анну Петрову name:Москве"},
		{"王老师在北京大学工作，他读《红楼梦》。", "name:王 name:北京大学 title:红楼梦"},
		{"田中さんはタイタニックを見た", "name:田中 name:タイタニック"},
		{"我用Python写代码", "name:Python"},
		{"", ""},
	} {
		var got []string
		for _, e := range Entities(c.in) {
			if c.in[e.Start:e.End] != e.Text {
				t.Errorf("%+v is not at its place in %q", e, c.in)
			}
			got = append(got, e.Label+":"+e.Text)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.in, s, c.want)
		}
	}
}

func TestKeywords(t *testing.T) {
	got := Keywords("I signed up for a pottery class with Ana. The pottery studio is in Lisbon and I really love it.", 5)
	for _, want := range []string{"pottery", "ana", "lisbon", "studio"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if got := Keywords("我每天骑车上班", 3); !slices.Contains(got, "骑车") {
		t.Errorf("got %q", got)
	}
	if got := Keywords("it is what it is", 3); len(got) != 0 {
		t.Errorf("got %q", got)
	}
	if got := Keywords("pottery", 0); got != nil {
		t.Errorf("got %q", got)
	}
}

// FuzzAddressesHaveMarks holds that a chunk which is passed over is no address.
func FuzzAddressesHaveMarks(f *testing.F) {
	for _, s := range []string{"jo@example.org, www.é.com (x.go) C:\\a ./b ~/c", "#tag @me http://a a.b.pdf...", "，www.x。y", "\"../a\" 'Makefile.md'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		f := finder{s: s}
		for i := 0; i < len(s); {
			end, marked := f.chunkEnd(i)
			if f.address(i, end); !marked && len(f.out) > 0 {
				t.Fatalf("%q is an address and is passed over", s[i:end])
			}
			f.out = nil
			i = max(end, i+1)
		}
	})
}

func FuzzEntities(f *testing.F) {
	for _, s := range []string{"Dr. Lee's \"Big Fish\" 3.5kg", "@a #b c@d.e C:\\x", "田中さん 叫王小明 《x", "A of B of the", "1.2.3 $", "’s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, e := range Entities(s) {
			if e.Start < last || e.End <= e.Start || e.End > len(s) || s[e.Start:e.End] != e.Text || e.Label == "" {
				t.Fatalf("%+v after %d in %q", e, last, s)
			}
			last = e.End
		}
		if k := Keywords(s, 5); len(k) > 5 {
			t.Fatalf("%d keywords", len(k))
		}
	})
}

func BenchmarkEntities(b *testing.B) {
	b.SetBytes(int64(len(turn)))
	for b.Loop() {
		Entities(turn)
	}
}

func BenchmarkKeywords(b *testing.B) {
	for b.Loop() {
		Keywords(turn, 5)
	}
}
