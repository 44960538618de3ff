package text

import (
	"strings"
	"testing"
	"time"
)

func TestParseStamp(t *testing.T) {
	for in, want := range map[string]string{
		"2023-05-08T13:56:00+02:00":           "2023-05-08T13:56:00+02:00",
		"2024-01-01T00:30+09:00":              "2024-01-01T00:30:00+09:00",
		"2023-05-08T13:56:00.123Z":            "2023-05-08T13:56:00.123Z",
		"2023-05-08T13:56:00":                 "2023-05-08T13:56:00Z",
		"2023-05-08 13:56":                    "2023-05-08T13:56:00Z",
		"2023-05-08 13:56:01+00:00":           "2023-05-08T13:56:01Z",
		"2023-05-08":                          "2023-05-08T00:00:00Z",
		"2023/5/8":                            "2023-05-08T00:00:00Z",
		"1:56 pm on 8 May, 2023":              "2023-05-08T13:56:00Z",
		"12:09 am on 13 September, 2023":      "2023-09-13T00:09:00Z",
		"2023/05/30 (Tue) 03:52":              "2023-05-30T03:52:00Z",
		"May 8, 2023":                         "2023-05-08T00:00:00Z",
		"May 8th, 2023 at 1:56 p.m.":          "2023-05-08T13:56:00Z",
		"8th of May 2023":                     "2023-05-08T00:00:00Z",
		"Mon, 08 May 2023 13:56:00 GMT":       "2023-05-08T13:56:00Z",
		"Mon, 08 May 2023 13:56:00 +0200":     "2023-05-08T13:56:00+02:00",
		"Mon May 8 13:56:00 2023":             "2023-05-08T13:56:00Z",
		"5/8/2023":                            "2023-05-08T00:00:00Z",
		"25/8/2023 10:30":                     "2023-08-25T10:30:00Z",
		"08.05.2023 13:56":                    "2023-05-08T13:56:00Z",
		"2023年5月8日":                           "2023-05-08T00:00:00Z",
		"1683554160":                          "2023-05-08T13:56:00Z",
		"1683554160.5":                        "2023-05-08T13:56:00.5Z",
		"1683554160000":                       "2023-05-08T13:56:00Z",
		"20230508T135600Z":                    "2023-05-08T13:56:00Z",
		"20230508":                            "2023-05-08T00:00:00Z",
		" 2023-05-08 ":                        "2023-05-08T00:00:00Z",
		"2023-05-08 13:56:00 +0000 UTC":       "2023-05-08T13:56:00Z",
		"Sunday, January 1, 2023, 9:05:00 AM": "2023-01-01T09:05:00Z",
		"May 2023":                            "2023-05-01T00:00:00Z",
	} {
		got, err := ParseStamp(in)
		if err != nil {
			t.Error(err)
			continue
		}
		if s := got.Format(time.RFC3339Nano); s != want {
			t.Errorf("ParseStamp(%q) = %s, want %s", in, s, want)
		}
	}
	for _, in := range []string{"", "soon", "2023-13-40", "99", "2023-02-30", strings.Repeat("1", 200), "\xff"} {
		if got, err := ParseStamp(in); err == nil {
			t.Errorf("ParseStamp(%q) = %v", in, got)
		} else if !strings.Contains(err.Error(), "parse time stamp") {
			t.Errorf("error %q does not name what was done", err)
		}
	}
}

func TestDatesKeepTheirOffset(t *testing.T) {
	at := time.Date(2024, 1, 1, 0, 30, 0, 0, time.FixedZone("", 9*3600))
	if got := FormatDate(at); got != "2024-01-01" {
		t.Error(got)
	}
	if got := HumanDate(at); got != "1 January 2024" {
		t.Error(got)
	}
}

func FuzzParseStamp(f *testing.F) {
	f.Add("1:56 pm on 8 May, 2023")
	f.Add("2023/05/30 (Tue) 03:52")
	f.Add("1683554160.5")
	f.Fuzz(func(t *testing.T, s string) {
		if at, err := ParseStamp(s); err == nil && at.IsZero() && !strings.Contains(s, "1") {
			t.Errorf("%q gives the zero time", s)
		}
	})
}
