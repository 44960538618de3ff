package read

import "testing"

func TestTrimKeepsHowSentencesFollowEachOther(t *testing.T) {
	for in, want := range map[string]string{
		"陶艺？真好。你还骑车上班吗？":                             "真好。你还骑车上班吗？",
		"I moved to Lisbon.  The kitchen is bright.": "I moved to Lisbon. The kitchen is bright.",
		"洱海边的日出太美了。我拍了三百多张照片。 ":                      "洱海边的日出太美了。我拍了三百多张照片。",
		"我从云南回来了！ 五月二号到八号，在大理住了四天。":                  "我从云南回来了！ 五月二号到八号，在大理住了四天。",
	} {
		if got := trim(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}
