package text

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/tiktoken-go/tokenizer"
)

// samples are texts of many kinds with the excess over the exact count that
// the estimate may have, in per cent.
var samples = []struct {
	name   string
	excess float64
	text   string
}{
	{"chat", 5, "Hey Priya! It was so good to see you at the market yesterday. I finally signed up for the pottery class we talked about, it starts on 12 May. The kids are over the moon about the camping trip next month, and Tom's already packed his fishing rod. What's new with you? Did the interview at the library go well? I'm crossing my fingers for you!\n"},
	{"evidence", 5, "# 2023-05-08\n[D1:3] Caroline: I went to the support group yesterday (2023-05-07) and it was so powerful.\n[D1:4] Melanie: Wow, that's cool! What happened that was so awesome?\n"},
	{"advice", 8, "Here are some tips:\n\n1. **Plan ahead**: Make a list of the groceries that you'll need for the week.\n2. **Batch cooking**: Prepare rice, beans, and roasted vegetables on Sunday.\n3. **Freeze leftovers**: Label each container with its date.\n\nWould you like a shopping list as well?\n"},
	{"Chinese", 30, "我每天骑车上班,大概需要三十分钟。昨天下雨了,所以我坐了地铁。下个月我打算和朋友一起去云南旅游,你有什么推荐的地方吗?我女儿今年五岁,她特别喜欢画画和游泳。\n"},
	{"Japanese", 40, "昨日、友達と一緒に映画を見に行きました。とても面白かったです。来週の日曜日は家族と京都へ旅行する予定です。猫が二匹いて、名前はタマとミケです。\n"},
	{"Korean", 60, "어제 친구와 함께 영화를 봤어요. 다음 주에는 가족과 부산으로 여행을 갈 예정입니다. 저는 커피를 정말 좋아해요.\n"},
	{"Russian", 40, "Вчера мы с братом ходили в кино, фильм был очень интересный. На следующей неделе я начинаю новую работу в больнице. Моя дочь любит рисовать и плавать.\n"},
	{"Arabic", 60, "ذهبت أمس إلى السوق مع أختي واشترينا الكثير من الفواكه. في الأسبوع القادم سأبدأ عملي الجديد في المستشفى.\n"},
	{"Hindi", 60, "मैं कल अपनी बहन के साथ बाज़ार गया था। अगले हफ्ते मेरी नई नौकरी शुरू होगी।\n"},
	{"Thai", 70, "เมื่อวานฉันไปดูหนังกับเพื่อน สนุกมาก อาทิตย์หน้าฉันจะไปเที่ยวเชียงใหม่กับครอบครัว\n"},
	{"Spanish", 15, "Ayer fui al cine con mi hermano y la película fue muy interesante. La próxima semana empiezo mi nuevo trabajo en el hospital. A mi hija le encanta dibujar y nadar.\n"},
	{"German", 35, "Gestern war ich mit meinem Bruder im Kino, der Film war sehr spannend. Nächste Woche fange ich meine neue Stelle im Krankenhaus an. Meine Tochter malt und schwimmt gern.\n"},
	{"emoji", 100, "So happy 😂😂 🎉🎉🎉 ❤️ can't wait 👍🏽 👨‍👩‍👧‍👦 🇫🇷!!!\n"},
	{"code", 30, "func main() {\n\tfor i := 0; i < len(items); i++ {\n\t\tfmt.Printf(\"%d: %s\\n\", i, items[i].Name)\n\t}\n}\n```python\nimport numpy as np\nx = np.zeros((3, 4), dtype=np.float32)\n```\n"},
	{"links", 60, "See https://www.example.org/blog/2023/05/07/how-to-bake-bread?utm_source=mail&id=42#step-3 or mail jo.smith+news@example.co.uk, C:\\Users\\jo\\tmp.\n"},
	{"marks", 60, "======== ------- ***** .......... !!!!???  \t\t  \r\n\r\n    |---|:--:|---|\n~~~~~~~~~~~~ ########\n"},
	{"numbers", 10, "1234567 3.14159 2023-05-07T13:56:00Z +49 170 1234567 1,000,000.00 $25.99 50% 1/2 ½ ٣٤٥\n"},
}

func exactly(t testing.TB) func(string) int {
	t.Helper()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	return func(s string) int {
		n, err := codec.Count(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// atLeast reports an estimate that may stand for n tokens of s: any is at least
// n, but where other scripts than Latin are merged by guess a single line may be
// short of one token in sixteen, and one.
func atLeast(s string, e, n int) bool {
	for _, r := range s {
		if r > 0x36f && unicode.IsLetter(r) {
			return e+1+n/16 >= n
		}
	}
	return e >= n
}

func TestEstimateIsNeverBelowTheCount(t *testing.T) {
	count := exactly(t)
	for _, c := range samples {
		n, e := count(c.text), EstimateTokens(c.text)
		excess := 100 * float64(e-n) / float64(n)
		t.Logf("%-9s %4d tokens, estimate %+.1f %%", c.name, n, excess)
		if e < n {
			t.Errorf("%s: estimate %d below %d", c.name, e, n)
		}
		if excess > c.excess {
			t.Errorf("%s: estimate %d for %d tokens, %.1f %% above, allowed %.0f %%", c.name, e, n, excess, c.excess)
		}
		for i := range c.text { // every suffix and prefix
			for _, part := range []string{c.text[i:], c.text[:i]} {
				if e, n := EstimateTokens(part), count(part); !atLeast(part, e, n) {
					t.Errorf("%s: estimate %d below %d for %q", c.name, e, n, part)
				}
			}
		}
	}
}

func TestEstimateOfJunkIsNeverBelowTheCount(t *testing.T) {
	count := exactly(t)
	r := rand.New(rand.NewPCG(1, 2))
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \n\t.,;:'\"!?/\\-_+*#~éüßñДжяمر世界かな한글\U0001F600\u200d\ufe0f"
	runes := []rune(letters)
	for i := range 400 {
		var b strings.Builder
		for range r.IntN(400) {
			b.WriteRune(runes[r.IntN(len(runes)>>(i%3))])
		}
		raw := make([]byte, r.IntN(600))
		for j := range raw {
			raw[j] = byte(r.Uint32())
		}
		for _, s := range []string{b.String(), base64.StdEncoding.EncodeToString(raw), strings.ToValidUTF8(string(raw), "\uFFFD")} {
			if e, n := EstimateTokens(s), count(s); !atLeast(s, e, n) {
				t.Errorf("estimate %d below %d for %q", e, n, s)
			}
		}
	}
	for _, s := range []string{strings.Repeat("a", 5000), strings.Repeat("ab ", 900), strings.Repeat("世", 3000), strings.Repeat(" ", 4000), strings.Repeat("\n", 300), strings.Repeat("=", 1000), strings.Repeat("😂", 200), "\xff\xfe broken \xc3"} {
		if e, n := EstimateTokens(s), count(strings.ToValidUTF8(s, "\uFFFD")); !atLeast(s, e, n) {
			t.Errorf("estimate %d below %d for %.20q", e, n, s)
		}
	}
}

func TestPiecesOfWordsAreNeverBelowTheCount(t *testing.T) {
	count := exactly(t)
	for _, c := range samples {
		for _, w := range strings.Fields(c.text) {
			for _, p := range []string{w, " " + w, "(" + w, strings.ToUpper(w), w + "'s", w + "."} {
				if e, n := EstimateTokens(p), count(p); !atLeast(p, e, n) {
					t.Errorf("estimate %d below %d for %q", e, n, p)
				}
			}
		}
	}
}

func TestEstimateAddsOverLines(t *testing.T) {
	for _, a := range samples {
		for _, b := range samples {
			if got, want := EstimateTokens(a.text+b.text), EstimateTokens(a.text)+EstimateTokens(b.text); got != want {
				t.Errorf("%s + %s: %d, sum of the parts %d", a.name, b.name, got, want)
			}
		}
	}
}

func TestCutFits(t *testing.T) {
	for _, c := range samples {
		for budget := range EstimateTokens(c.text) + 2 {
			cut := Cut(c.text, budget)
			if !strings.HasPrefix(c.text, cut) {
				t.Fatalf("%s: %q is no prefix", c.name, cut)
			}
			if e := EstimateTokens(cut); e > budget {
				t.Errorf("%s: cut at %d has %d: %q", c.name, budget, e, cut)
			}
		}
		if got := Cut(c.text, EstimateTokens(c.text)); got != c.text {
			t.Errorf("%s: what fits was cut to %q", c.name, got)
		}
	}
	if got := Cut("The cat sat on the mat", 3); got != "The cat sat" {
		t.Errorf("got %q", got)
	}
	if got := Cut("abc", -1); got != "" {
		t.Errorf("got %q", got)
	}
}

func FuzzEstimateTokens(f *testing.F) {
	count := exactly(f)
	for _, c := range samples {
		f.Add(c.text, 7)
	}
	f.Fuzz(func(t *testing.T, s string, budget int) {
		s = strings.ToValidUTF8(s, "\uFFFD")
		e, n := EstimateTokens(s), count(s)
		// A fingerprint collides once in some ten thousand unknown words, and
		// the fuzzer looks for just that.
		if e+4+n/100 < n && !atLeast(s, e, n) {
			t.Errorf("estimate %d below %d for %q", e, n, s)
		}
		if e > len(s) {
			t.Errorf("estimate %d above the %d bytes of %q", e, len(s), s)
		}
		cut := Cut(s, budget)
		if !strings.HasPrefix(s, cut) || EstimateTokens(cut) > max(budget, 0) {
			t.Errorf("cut at %d gives %q of %q", budget, cut, s)
		}
	})
}

func BenchmarkEstimateTokens(b *testing.B) {
	s := samples[0].text
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		EstimateTokens(s)
	}
}
