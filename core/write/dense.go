package write

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/leanmem/leanmem/core/mem"
	"github.com/leanmem/leanmem/core/text"
)

// dense reports whether a sentence is written in Chinese: mostly Han, no kana.
func dense(s string) bool {
	han, other := 0, 0
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			if 'a' <= r|0x20 && r|0x20 <= 'z' {
				other++
			}
		case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			return false
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.IsLetter(r):
			other++
		}
	}
	return han > 0 && han*2 >= other
}

// denseRule is a rule for Chinese: what follows the subject 我, and the
// attribute in the language of the dialogue.
type denseRule struct {
	verb, attribute string
	ends            bool
}

// denseRules, the longer verb before the one that it begins with.
var denseRules = []denseRule{
	{"不喜欢", "不喜欢", false}, {"讨厌", "不喜欢", false}, {"不爱", "不喜欢", false}, {"受不了", "不喜欢", false},
	{"最喜欢", "喜欢", false}, {"喜欢", "喜欢", false}, {"热爱", "喜欢", false}, {"爱", "喜欢", false},
	{"住在", "住在", false}, {"搬到了", "住在", false}, {"搬到", "住在", false}, {"来自", "来自", false},
	{"对", "过敏", false}, {"叫", "姓名", false}, {"名叫", "姓名", false},
	{"在学", "在学", false}, {"正在学", "在学", false}, {"养了", "宠物", false}, {"养", "宠物", false},
	{"不再对", "过敏", true}, {"不再", "爱好", true}, {"戒了", "习惯", true}, {"又开始抽", "习惯", false}, {"又抽", "习惯", false},
}

// denseTrades end a value of 我是… that names an occupation.
var denseTrades = []string{"师", "生", "员", "家", "工", "者", "警察", "经理", "司机", "护士", "教授", "老板", "程序员"}

// denseFacts reads the facts of a Chinese sentence that was said at a time. The
// date of a move is when its state began.
func denseFacts(s, speaker string, at time.Time) []mem.Profile {
	if strings.ContainsAny(s, "?？") || strings.HasSuffix(strings.TrimSpace(s), "吗") {
		return nil
	}
	var facts []mem.Profile
	for clause := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("，。！；,.!;、\n", r) }) {
		clause = strings.TrimSpace(clause)
		_, rest, ok := strings.Cut(clause, "我")
		if !ok || strings.HasPrefix(rest, "们") && strings.HasPrefix(rest, "们觉得") || strings.Contains(clause, "如果") {
			continue
		}
		rest = strings.TrimPrefix(rest, "们")
		var since mem.Anchor
		if strings.Contains(rest, "搬到") {
			since, rest = denseDate(clause, rest, at)
		}
		p, ok := denseRelative(rest, speaker)
		if !ok {
			if p, ok = denseFact(rest); ok {
				p.Subject = speaker
			}
		}
		if ok {
			p.Single, p.Since = Single(p.Attribute), since
			facts = append(facts, p)
		}
	}
	return facts
}

// denseDate gives the date that a clause names, and what follows its subject
// without it.
func denseDate(clause, rest string, at time.Time) (since mem.Anchor, left string) {
	if at.IsZero() {
		return since, rest
	}
	for _, r := range text.Temporal(clause, at) {
		if r.Grain != text.Span && !r.Open() && since == (mem.Anchor{}) {
			since = mem.Anchor{From: r.From, To: r.To, Phrase: r.Phrase}
		}
		rest = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(rest, "在"), "从"), r.Phrase)
	}
	return since, rest
}

// denseRelations and densePets may follow 我 or 我的.
var (
	denseRelations = []string{"妹妹", "姐姐", "哥哥", "弟弟", "妈妈", "爸爸", "母亲", "父亲", "妻子", "丈夫", "老婆", "老公", "女朋友", "男朋友", "朋友", "儿子", "女儿", "同事", "老板", "奶奶", "爷爷"}
	densePets      = []string{"狗", "猫", "兔子", "仓鼠", "鹦鹉", "乌龟"}
)

// denseRelative reads what 我妹妹 is or likes, 我的狗叫…, 我最喜欢的菜是….
func denseRelative(rest, speaker string) (mem.Profile, bool) {
	rest = strings.TrimPrefix(rest, "的")
	for _, r := range denseRelations {
		after, ok := strings.CutPrefix(rest, r)
		if !ok {
			continue
		}
		if name, ok := strings.CutPrefix(after, "叫"); ok {
			p, ok := denseValue(r, name, false)
			p.Subject = speaker
			return p, ok
		}
		p, ok := denseFact(after)
		p.Subject = speaker + "的" + r
		return p, ok
	}
	for _, pet := range densePets {
		if name, ok := strings.CutPrefix(rest, pet+"叫"); ok {
			p, ok := denseValue("宠物", pet+name, false)
			p.Subject = speaker
			return p, ok
		}
	}
	if of, ok := strings.CutPrefix(rest, "最喜欢的"); ok {
		if thing, value, found := strings.Cut(of, "是"); found && thing != "" {
			p, ok := denseValue("最喜欢的"+thing, value, false)
			p.Subject = speaker
			return p, ok
		}
	}
	return mem.Profile{}, false
}

func denseFact(rest string) (mem.Profile, bool) {
	for _, adverb := range []string{"现在", "一直", "真的", "很", "也", "最近", "其实", "非常", "特别", "还", "都", "就"} {
		rest = strings.TrimPrefix(rest, adverb)
	}
	if strings.HasPrefix(rest, "每") || strings.HasPrefix(rest, "经常") || strings.HasPrefix(rest, "总是") {
		return denseValue("习惯", rest, false)
	}
	if v, ok := strings.CutPrefix(rest, "是"); ok {
		for _, t := range denseTrades {
			if strings.HasSuffix(v, t) {
				return denseValue("职业", strings.TrimPrefix(strings.TrimPrefix(v, "一名"), "一个"), false)
			}
		}
		return mem.Profile{}, false
	}
	if v, ok := strings.CutPrefix(rest, "在"); ok {
		if at, found := strings.CutSuffix(v, "工作"); found {
			return denseValue("工作单位", at, false)
		}
		if at, found := strings.CutSuffix(v, "上班"); found {
			return denseValue("工作单位", at, false)
		}
	}
	for _, r := range denseRules {
		v, ok := strings.CutPrefix(rest, r.verb)
		if !ok {
			continue
		}
		if r.attribute == "过敏" {
			if v, ok = strings.CutSuffix(v, "过敏"); !ok {
				return mem.Profile{}, false
			}
		}
		return denseValue(r.attribute, v, r.ends)
	}
	return mem.Profile{}, false
}

func denseValue(attribute, v string, ends bool) (mem.Profile, bool) {
	v = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(v, "了"), "的"))
	n := utf8.RuneCountInString(v)
	if n == 0 || n > 24 || strings.HasPrefix(v, "你") || strings.HasPrefix(v, "这") || strings.HasPrefix(v, "那") {
		return mem.Profile{}, false
	}
	p := mem.Profile{Attribute: attribute, Value: v}
	if ends {
		p.Polarity = mem.Ended
	}
	return p, true
}
