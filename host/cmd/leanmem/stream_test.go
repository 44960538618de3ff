package main

import (
	"strings"
	"testing"
)

func TestOnlyTheAnswerIsStreamed(t *testing.T) {
	for reply, want := range map[string]string{
		`{"answer":"In Porto.","cites":["1"],"known":true}`:                "In Porto.",
		"{ \"answer\" : \"a \\\"b\\\"\\n\\u00e9\\ud83d\\ude00 c\\\\\" }":   "a \"b\"\né😀 c\\",
		`<think>{"answer":"draft"}</think>{"answer":"final","known":true}`: "final",
		`{"cites":["1"],"known":true,"answer":"last, with } and ] in it"}`: "last, with } and ] in it",
		`In plain words.`:   "",
		`{"answer":"cut of`: "cut of",
		`{"answer":7}`:      "",
	} {
		for size := 1; size <= len(reply); size++ {
			var out strings.Builder
			s := answerStream{out: &out}
			for at := 0; at < len(reply); at += size {
				s.add(reply[at:min(len(reply), at+size)])
			}
			if out.String() != want || s.shown != (want != "") {
				t.Fatalf("%s in parts of %d bytes: %q, want %q", reply, size, out.String(), want)
			}
		}
	}
}
