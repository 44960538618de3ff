package tag_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/tag"
)

const key = "sk-topsecret0123456789"

func provider(t *testing.T, answer http.HandlerFunc, o tag.Options) *tag.Tagger {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	o.URL, o.Key, o.Backoff = s.URL+"/tag", key, time.Millisecond
	tagger, err := tag.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return tagger
}

func TestEntitiesOfEachText(t *testing.T) {
	calls := 0
	tagger := provider(t, func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Texts, Labels []string }
		json.NewDecoder(r.Body).Decode(&in)
		if calls++; calls == 1 {
			w.WriteHeader(503)
			return
		}
		if r.Header.Get("Authorization") != "Bearer "+key || len(in.Texts) > 2 || !slices.Equal(in.Labels, []string{"person"}) {
			t.Errorf("%+v", in)
		}
		out := make([][]effect.Entity, len(in.Texts))
		for i, text := range in.Texts {
			out[i] = []effect.Entity{{Text: strings.Fields(text)[0], Label: "person"}}
		}
		json.NewEncoder(w).Encode(map[string]any{"entities": out})
	}, tag.Options{BatchTexts: 2, Labels: []string{"person"}})
	got, err := tagger.Tag(context.Background(), []string{"Ana moved", "Bo hates fish", "Cy sings"})
	if err != nil || calls != 3 || fmt.Sprint(got) != "[[{Ana person 0 3}] [{Bo person 0 2}] [{Cy person 0 2}]]" {
		t.Fatal(got, err, calls)
	}
}

func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		code   effect.Code
	}{
		"fewer lists": {200, `{"entities":[]}`, effect.TagFailed},
		"garbage":     {200, `entities of Zorblat 12`, effect.TagFailed},
		"bad key":     {401, `{"detail":"bad key ` + key + `"}`, effect.Unauthorized},
		"429":         {429, ``, effect.RateLimited},
		"500":         {500, `Zorblat 12 failed`, effect.TagFailed},
	} {
		tagger := provider(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			w.Write([]byte(c.body))
		}, tag.Options{})
		_, err := tagger.Tag(context.Background(), []string{"Zorblat 12"})
		if !effect.HasCode(err, c.code) || strings.Contains(err.Error(), "Zorblat") || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := tag.New(tag.Options{}); !effect.HasCode(err, effect.InvalidArgument) {
		t.Error(err)
	}
}

func TestPlace(t *testing.T) {
	text := "Müller traf 李明 in Köln"
	for _, c := range []struct {
		in   effect.Entity
		want string
	}{
		{effect.Entity{Text: "Köln", Start: strings.Index(text, "Köln"), End: strings.Index(text, "Köln") + 5}, "Köln"},
		{effect.Entity{Text: "Köln", Start: 18, End: 22}, "Köln"}, // characters
		{effect.Entity{Text: "李明", Start: 12, End: 14}, "李明"},
		{effect.Entity{Text: "Köln"}, "Köln"},
		{effect.Entity{Start: 0, End: 7}, "Müller"},
		{effect.Entity{Text: "Berlin", Start: 3, End: 9}, ""},
		{effect.Entity{Start: 1, End: 2}, ""}, // within a letter
		{effect.Entity{Start: -5, End: 900}, ""},
		{effect.Entity{Text: "Köln", Start: -1, End: 1 << 40}, "Köln"},
	} {
		got := tag.Place(text, []effect.Entity{c.in})
		if (len(got) == 0) != (c.want == "") || (len(got) == 1 && (got[0].Text != c.want || text[got[0].Start:got[0].End] != c.want)) {
			t.Errorf("%+v: %+v", c.in, got)
		}
	}
}
