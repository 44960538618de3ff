//go:build ignore

// Command pieces_gen writes merges.bin and words.bin from the o200k_base
// vocabulary: see bpe.go for their form and RATIONALE.md for the limits.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"

	"github.com/tiktoken-go/tokenizer"
)

var (
	asciiRank = flag.Int("ascii", 20000, "tokens of ASCII below this rank go into merges.bin")
	otherRank = flag.Int("other", 60000, "other tokens below this rank go into merges.bin")
	wordRank  = flag.Int("words", 200000, "word tokens below this rank go into words.bin")
	dict      = flag.String("dict", "", "file with one English word a line (a system word list will do); tokens of its words go into words.bin")
	anyRank   = flag.Int("any", 100000, "below this rank a token that begins with a space goes into words.bin whether the list has it or not")
	word      = flag.String("pattern", `^ ?[A-Za-z][a-z]*('[a-z]+)?$|^ ?[A-Z]{2,6}$`, "what a word token may look like")
)

func main() {
	flag.Parse()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		log.Fatal(err)
	}
	isWord, known := regexp.MustCompile(*word), dictionary()
	merges := make([][][]byte, 1<<12)
	words := make([][][]byte, 1<<13)
	for id := 0; id < 199998; id++ {
		token, err := codec.Decode([]uint{uint(id)})
		if err != nil {
			log.Fatal(err)
		}
		limit := *otherRank
		if ascii(token) {
			limit = *asciiRank
		}
		h := hashPiece(token)
		switch {
		case id < limit:
			e := []byte{byte(h), byte(h >> 8), byte(h >> 16), byte(id), byte(id >> 8)}
			merges[h>>40&(1<<12-1)] = append(merges[h>>40&(1<<12-1)], e)
		case id < *wordRank && isWord.MatchString(token) && (known(token) || id < *anyRank && token[0] == ' '):
			words[h>>40&(1<<13-1)] = append(words[h>>40&(1<<13-1)], []byte{byte(h), byte(h >> 8)})
		}
	}
	write("merges.bin", merges)
	write("words.bin", words)
}

func write(name string, buckets [][][]byte) {
	var out []byte
	n := 0
	for _, b := range buckets {
		out = append(out, byte(n), byte(n>>8), byte(n>>16))
		n += len(b)
	}
	out = append(out, byte(n), byte(n>>8), byte(n>>16))
	for _, b := range buckets {
		for _, e := range b {
			out = append(out, e...)
		}
	}
	if err := os.WriteFile(name, out, 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d entries, %d bytes\n", name, n, len(out))
}

// dictionary returns whether a token is a word of the list or an acronym; any
// token is where no list is given.
func dictionary() func(token string) bool {
	if *dict == "" {
		return func(string) bool { return true }
	}
	list, err := os.ReadFile(*dict)
	if err != nil {
		log.Fatal(err)
	}
	words := map[string]bool{}
	for w := range strings.FieldsSeq(string(list)) {
		words[strings.ToLower(w)] = true
	}
	return func(token string) bool {
		token = strings.TrimPrefix(token, " ")
		return words[strings.ToLower(token)] || token == strings.ToUpper(token)
	}
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// hashPiece is the hash of bpe.go.
func hashPiece(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>29
}
