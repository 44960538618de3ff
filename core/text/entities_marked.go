package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// addresses finds URLs, e-mail addresses, handles and paths: chunks between
// white space.
func (f *finder) addresses() {
	for i := 0; i < len(f.s); {
		r, w := utf8.DecodeRuneInString(f.s[i:])
		if unicode.IsSpace(r) {
			i += w
			continue
		}
		end, marked := f.chunkEnd(i)
		if end == i {
			end = i + w
		}
		if marked {
			f.address(i, end)
		}
		i = end
	}
}

// chunkEnd is the end of the chunk at i, and whether it has a mark without which
// nothing is an address.
func (f *finder) chunkEnd(i int) (end int, marked bool) {
	for end = i; end < len(f.s); {
		c := f.s[end]
		if c < utf8.RuneSelf {
			if c == ' ' || '\t' <= c && c <= '\r' {
				break
			}
			marked = marked || c == '@' || c == '#' || c == '/' || c == '\\' || c == '.' && end+1 < len(f.s) && f.s[end+1] != ' '
			end++
			continue
		}
		r, w := utf8.DecodeRuneInString(f.s[end:])
		if unicode.IsSpace(r) || dense(r) || r == '，' || r == '。' {
			break
		}
		end += w
	}
	return end, marked
}

func (f *finder) address(start, end int) {
	const edge = "\"'“”‘’()[]<>{},.;:!?*_`…"
	c := f.s[start:end]
	c = strings.TrimLeft(c, edge)
	start = end - len(c)
	c = strings.TrimRight(c, edge)
	end = start + len(c)
	if len(c) < 3 || len(c) > 2000 {
		return
	}
	at := strings.IndexByte(c, '@')
	switch {
	case strings.Contains(c, "://") || strings.HasPrefix(c, "www."):
		f.add(start, end, LabelURL)
	case at > 0 && strings.IndexByte(c[at:], '.') > 1:
		f.add(start, end, LabelEmail)
	case (c[0] == '@' || c[0] == '#') && identifier(c[1:]):
		f.add(start, end, LabelHandle)
	case path(c):
		f.add(start, end, LabelPath)
	}
}

func identifier(s string) bool {
	for i, r := range s {
		if !unicode.IsLetter(r) && r != '_' && (i == 0 || !unicode.IsDigit(r) && r != '.' && r != '-') {
			return false
		}
	}
	return s != ""
}

// path reports C:\tmp, /usr/lib, ./a, ~/b and main.go.
func path(c string) bool {
	switch {
	case len(c) > 3 && c[1] == ':' && (c[2] == '\\' || c[2] == '/') && asciiLetter(c[0]):
		return true
	case strings.HasPrefix(c, `\\`), strings.HasPrefix(c, "./"), strings.HasPrefix(c, "../"), strings.HasPrefix(c, "~/"):
		return true
	case c[0] == '/' && asciiLetter(c[1]):
		return true
	}
	if dot := strings.LastIndexByte(c, '.'); dot > 0 {
		switch c[dot+1:] {
		case "go", "py", "js", "ts", "txt", "md", "pdf", "csv", "json", "yaml", "yml", "html", "css", "java", "c", "h", "cpp", "rs", "sh", "sql", "png", "jpg", "jpeg", "gif", "mp3", "mp4", "zip", "doc", "docx", "xls", "xlsx":
			return true
		}
	}
	return false
}

func asciiLetter(c byte) bool { return c < utf8.RuneSelf && asciiClass[c] >= asciiLower }

// titles finds quoted works: a few words that begin with a capital or a
// character without case, and do not end as a sentence does.
func (f *finder) titles() {
	for i := 0; i < len(f.s); {
		r, w := utf8.DecodeRuneInString(f.s[i:])
		i += w
		end, wide := closing(r)
		if end == "" {
			continue
		}
		n := strings.Index(f.s[i:], end)
		if n <= 0 {
			continue
		}
		t := f.s[i : i+n]
		if title(t, wide) {
			f.add(i, i+n, LabelTitle)
			i += n + len(end)
		}
	}
}

// closing returns the mark that closes a quotation; wide marks are those of
// works in Chinese and Japanese.
func closing(r rune) (end string, wide bool) {
	switch r {
	case '"':
		return `"`, false
	case '“':
		return "”", false
	case '«':
		return "»", false
	case '„':
		return "“", false
	case '《':
		return "》", true
	case '「':
		return "」", true
	case '『':
		return "』", true
	}
	return "", false
}

func title(t string, wide bool) bool {
	if wide {
		return utf8.RuneCountInString(t) <= 24 && !strings.ContainsAny(t, "。！？\n")
	}
	if len(t) > 80 || strings.Contains(t, "\n") || strings.Count(t, " ") > 8 || strings.HasSuffix(t, ".") || strings.HasSuffix(t, ",") {
		return false
	}
	r, _ := utf8.DecodeRuneInString(t)
	return unicode.IsUpper(r) || unicode.IsDigit(r) || dense(r)
}

// quantities finds numbers with their unit or currency.
func (f *finder) quantities() {
	for i, p := range f.lx {
		r, _ := utf8.DecodeRuneInString(f.s[p.start:])
		if !unicode.IsDigit(r) {
			continue
		}
		start, end := p.start, p.end
		before, w := utf8.DecodeLastRuneInString(f.s[:start])
		after, aw := utf8.DecodeRuneInString(f.s[end:])
		j := i + 1
		for j < len(f.lx) && (f.s[end] == '.' || f.s[end] == ',') && end+1 == f.lx[j].start && isDigitByte(f.s, end+1) { // 3.5, 1,000
			end = f.lx[j].end
			after, aw = utf8.DecodeRuneInString(f.s[end:])
			j++
			if end >= len(f.s) {
				break
			}
		}
		switch {
		case i > 0 && f.lx[i-1].end+1 == start && (f.s[f.lx[i-1].end] == '.' || f.s[f.lx[i-1].end] == ',') && isDigitByte(f.s, f.lx[i-1].end-1):
			continue // the rest of a decimal
		case unicode.Is(unicode.Sc, before):
			f.add(start-w, end, LabelQuantity)
		case after == '%' || unicode.Is(unicode.Sc, after):
			f.add(start, end+aw, LabelQuantity)
		case j < len(f.lx) && measure(f.lx[j].folded) && (f.s[end:f.lx[j].start] == " " || f.s[end:f.lx[j].start] == "-"):
			f.add(start, f.lx[j].end, LabelQuantity)
		case measure(strings.TrimLeft(p.folded, "0123456789")) && len(p.folded) < 12:
			f.add(start, end, LabelQuantity)
		}
	}
}

func measure(w string) bool { return measures.has(w) }

// denseNames finds Chinese and Japanese names by what stands beside them: a
// title after them, 叫 before them, or an ending of places and institutions;
// and runs of katakana.
func (f *finder) denseNames() {
	for i := 0; i < len(f.s); {
		r, w := utf8.DecodeRuneInString(f.s[i:])
		if 0x30A1 <= r && r < 0x30FB {
			end := i
			n := 0
			for end < len(f.s) {
				r, w := utf8.DecodeRuneInString(f.s[end:])
				if r < 0x30A1 || r > 0x30FC {
					break
				}
				end, n = end+w, n+1
			}
			if n >= 3 {
				f.add(i, end, LabelName)
			}
			i = end
			continue
		}
		f.denseName(i)
		i += w
	}
}

func (f *finder) denseName(i int) {
	for _, t := range [...]string{"先生", "小姐", "女士", "老师", "老師", "医生", "教授", "さん", "ちゃん", "くん", "様", "씨"} {
		if strings.HasPrefix(f.s[i:], t) {
			if start := f.back(i, 3); start < i {
				f.add(start, i, LabelName)
			}
			return
		}
	}
	for _, t := range [...]string{"大学", "大學", "医院", "公司", "公园", "公園", "银行", "市", "省", "县", "駅"} {
		if strings.HasPrefix(f.s[i:], t) {
			if start := f.back(i, 2); i-start >= 6 {
				f.add(start, i+len(t), LabelName)
			}
			return
		}
	}
	if rest, ok := strings.CutPrefix(f.s[i:], "叫"); ok {
		end, n := 0, 0
		for end < len(rest) && n < 3 {
			r, w := utf8.DecodeRuneInString(rest[end:])
			if !han(r) || denseFunction(r) {
				break
			}
			end, n = end+w, n+1
		}
		if n >= 2 {
			f.add(i+len("叫"), i+len("叫")+end, LabelName)
		}
	}
}

// back goes back over at most n characters that may belong to a name.
func (f *finder) back(i, n int) int {
	for ; n > 0; n-- {
		r, w := utf8.DecodeLastRuneInString(f.s[:i])
		if !han(r) && (r < 0xAC00 || r >= 0xD7A4) && (r < 0x30A1 || r > 0x30FC) || denseFunction(r) {
			break
		}
		i -= w
	}
	return i
}

func han(r rune) bool { return 0x4E00 <= r && r < 0xA000 }

// denseFunction reports characters of Chinese function words, which are in no
// name and no keyword.
func denseFunction(r rune) bool {
	return strings.ContainsRune("的了是我你他她它们在不有和就都也很到说要去会着没这那与跟给把被让吗呢吧啊么个一为以对从还又再用上下", r)
}
