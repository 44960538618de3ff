package embed

import (
	"hash/crc32"
	"strings"
	"testing"

	"github.com/leanmem/leanmem/core/rank"
)

func mustText(t *testing.T, text string) Vector {
	t.Helper()
	v, ok := Text(text)
	if !ok {
		t.Fatalf("Text(%q) is not covered", text)
	}
	return v
}

func mustWord(t *testing.T, word string) Vector {
	t.Helper()
	v, ok := Word(word)
	if !ok {
		t.Fatalf("Word(%q) is not covered", word)
	}
	return v
}

func TestRelatedSentencesAreCloserThanUnrelatedOnes(t *testing.T) {
	for _, x := range []struct{ query, related, unrelated string }{
		{"What pets does she have?", "We adopted two kittens last month, they sleep on my bed.", "The mortgage papers are signed at last."},
		{"When did he start his new job?", "Monday was my first day at the office, my boss seems kind.", "The lasagna needs another hour in the oven."},
		{"Where did they go on holiday?", "We flew to Portugal and spent a week at the beach.", "My laptop crashes whenever I open a spreadsheet."},
		{"How is her health?", "The doctor says my knee will heal after the surgery.", "The concert tickets sold out in minutes."},
		{"What does he do to relax?", "I unwind by painting and going for long walks.", "The invoice must be paid before Friday."},
		{"Which musical instrument does she play?", "I have been practising the violin since I was six.", "Our flight was delayed by a storm."},
	} {
		q := mustText(t, x.query)
		near, far := rank.CosineInt8(q, mustText(t, x.related)), rank.CosineInt8(q, mustText(t, x.unrelated))
		if near <= far {
			t.Errorf("%q: %.3f to %q, %.3f to %q", x.query, near, x.related, far, x.unrelated)
		}
	}
}

func TestRelatedWordsAreCloserThanUnrelatedOnes(t *testing.T) {
	for _, x := range [][3]string{
		{"doctor", "physician", "guitar"},
		{"dog", "puppy", "invoice"},
		{"vacation", "holiday", "carpet"},
		{"happy", "glad", "engine"},
		{"Paris", "France", "spoon"},
		{"car", "automobile", "poem"},
	} {
		a := mustWord(t, x[0])
		near, far := rank.CosineInt8(a, mustWord(t, x[1])), rank.CosineInt8(a, mustWord(t, x[2]))
		if near <= far || near < 0.4 {
			t.Errorf("%s: %.3f to %s, %.3f to %s", x[0], near, x[1], far, x[2])
		}
	}
}

func TestOtherLanguagesAreNotCovered(t *testing.T) {
	for _, text := range []string{
		"", "  \n", "?!…", "42", "🎉🎉", "\xff\xfe",
		"我昨天搬到了里斯本。", "昨日、猫を二匹飼い始めました。", "Вчера мы переехали в другой город.",
		"어제 고양이 두 마리를 입양했어요.", "انتقلنا إلى مدينة أخرى أمس", "Χθες μετακομίσαμε σε άλλη πόλη.", "कल हम दूसरे शहर चले गए।",
		"Gestern sind wir mit unseren Kindern in eine andere Stadt umgezogen.",
		"Ieri ci siamo trasferiti in un'altra città con i nostri bambini.",
		"Ayer nos mudamos a otra ciudad con nuestros hijos pequeños.",
		"Dün çocuklarımızla birlikte başka bir şehre taşındık.",
		"Wczoraj przeprowadziliśmy się z dziećmi do innego miasta.",
	} {
		if v, ok := Text(text); ok || v != nil {
			t.Errorf("Text(%q) is covered", text)
		}
	}
}

func TestEnglishWithNamesOfOtherLanguagesIsCovered(t *testing.T) {
	for _, text := range []string{
		"My friend Xochitl moved to Szczecin.",
		"What did Nguyễn cook for the party?",
		"I love 東京 and its food.",
		"hi", "Yesterday.", "What did she buy?",
	} {
		mustText(t, text)
	}
}

func TestCaseAndAccentsDoNotMatter(t *testing.T) {
	a, b := mustText(t, "The CAFÉ near Zoë's home"), mustText(t, "the cafe near zoe's home")
	if string(bytesOf(a)) != string(bytesOf(b)) {
		t.Error("accents or case change the vector")
	}
}

func TestVectorsAreScaledToTheirLargestComponent(t *testing.T) {
	v := mustText(t, "A quiet evening with a good book.")
	most := 0
	for _, x := range v {
		most = max(most, int(x), -int(x))
	}
	if len(v) != Dims || most != 127 {
		t.Errorf("%d components, the largest ±%d; want %d and 127", len(v), most, Dims)
	}
}

func TestLongTextsAreBounded(t *testing.T) {
	long := strings.Repeat("we talked about the garden and the weather. ", 50_000)
	v := mustText(t, long)
	if c := rank.CosineInt8(v, mustText(t, "we talked about the garden and the weather.")); c < 0.99 {
		t.Errorf("a repeated sentence is %.3f from itself", c)
	}
	if _, ok := Text(strings.Repeat("a", 10<<20)); ok {
		t.Error("one endless word is covered")
	}
	Text(strings.Repeat("\u0301", 1<<20))
}

func TestTheBuiltInTableIsWhole(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatal(err)
	}
	for _, part := range [][2]int{{0, table.beginnings}, {table.beginnings, table.count}} {
		for i := part[0] + 1; i < part[1]; i++ {
			if table.piece(i-1) >= table.piece(i) {
				t.Fatalf("piece %d %q does not follow %q", i, table.piece(i), table.piece(i-1))
			}
		}
	}
	for i := range table.count {
		if n := len(table.piece(i)); n == 0 || n > maxPiece {
			t.Fatalf("piece %d has %d bytes", i, n)
		}
	}
}

func TestCheckSaysWhatIsDamaged(t *testing.T) {
	patch := func(at int, b byte) string { return file[:at] + string([]byte{b}) + file[at+1:] }
	for _, x := range []struct{ file, want string }{
		{"", "do not begin as a table does"},
		{file[:headerSize-1], "do not begin as a table does"},
		{patch(0, 'X'), "do not begin as a table does"},
		{patch(4, byte(Dims+1)), "dimensions"},
		{file[:headerSize], "do not add up"},
		{file[:len(file)-1], "do not add up"},
		{file + "x", "do not add up"},
		{patch(9, file[9]^0x55), "do not add up"},
		{patch(len(file)/2, file[len(file)/2]^1), "checksum"},
		{patch(20, file[20]^1), "checksum"},
	} {
		if err := check(x.file); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("a damaged table of %d bytes: %v, want %q", len(x.file), err, x.want)
		}
	}
}

// wantVectors is the checksum of the vectors of a few texts, the same on every
// engine and processor. Once released, a change of it is a change of Name.
const wantVectors = 0xe440419e

func TestVectorsStayAsTheyWere(t *testing.T) {
	h := crc32.NewIEEE()
	for _, text := range []string{"I moved to Lisbon last spring.", "What pets does she have?", "Snowboarding past a café in 2016!"} {
		h.Write(bytesOf(mustText(t, text)))
	}
	h.Write(bytesOf(mustWord(t, "grandma")))
	if got := h.Sum32(); got != wantVectors {
		t.Errorf("checksum of vectors %#08x, was %#08x", got, uint32(wantVectors))
	}
}

func bytesOf(v Vector) []byte {
	out := make([]byte, len(v))
	for i, x := range v {
		out[i] = byte(x)
	}
	return out
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "I moved to Lisbon.", "Zoë\u0301", "\xff\xfeabc", "東京 tower", strings.Repeat("ab", 200), "a\u00adb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, ok := Text(s)
		if ok != (v != nil) || ok && len(v) != Dims {
			t.Fatalf("Text(%q): ok %v with %d components", s, ok, len(v))
		}
		if w, ok := Word(s); ok && len(w) != Dims {
			t.Fatalf("Word(%q): %d components", s, len(w))
		}
		if again, _ := Text(s); string(bytesOf(again)) != string(bytesOf(v)) {
			t.Fatalf("Text(%q) differs from call to call", s)
		}
	})
}

func BenchmarkText(b *testing.B) {
	const text = "We adopted two kittens last month; they're called Pixel and Miso, and they sleep on my bed every night."
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Text(text)
	}
}

func BenchmarkWord(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Word("snowboarding")
	}
}
