package embed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leanmem/leanmem/core/effect"
	"github.com/leanmem/leanmem/hostfuncs/embed"
)

const key = "sk-topsecret0123456789"

var ctx = context.Background()

type request struct {
	Input      []string `json:"input"`
	Model      string   `json:"model"`
	Dimensions int      `json:"dimensions"`
}

type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []request
}

// serve answers with the vectors that f gives, in reverse order.
func serve(t *testing.T, f func(n int, r request) (rows [][]float64, status int, body string)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		var r request
		json.NewDecoder(hr.Body).Decode(&r)
		s.mu.Lock()
		s.requests = append(s.requests, r)
		n := len(s.requests)
		s.mu.Unlock()
		rows, status, body := f(n, r)
		if status != 0 {
			w.WriteHeader(status)
			w.Write([]byte(body))
			return
		}
		type datum struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		}
		var data []datum
		for i := len(rows) - 1; i >= 0; i-- {
			data = append(data, datum{i, rows[i]})
		}
		json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(s.Close)
	return s
}

func provider(t *testing.T, s *server, o embed.Options) *embed.Embedder {
	t.Helper()
	o.BaseURL, o.Key, o.Model, o.Backoff = s.URL, key, "small", time.Millisecond
	e, err := embed.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// byText gives each text a vector that names it: its length, not normalised.
func byText(_ int, r request) (rows [][]float64, status int, body string) {
	for _, t := range r.Input {
		rows = append(rows, []float64{float64(len(t)), 3, 4})
	}
	return rows, 0, ""
}

func TestVectorsStandWhereTheirTextsStand(t *testing.T) {
	s := serve(t, byText)
	e := provider(t, s, embed.Options{BatchTexts: 3, BatchTokens: 50, QueryPrefix: "query: "})
	var texts []string
	for i := range 20 {
		texts = append(texts, strings.Repeat("x", i))
	}
	texts[7] = strings.Repeat("y", 1000) // over the limit alone
	v, err := e.Embed(ctx, texts, "document")
	if err != nil || v.Model != "host:small" || v.Dims != 3 || len(v.Data) != 60 {
		t.Fatalf("%+v, %v", v, err)
	}
	for i, text := range texts {
		n := float64(max(1, len(text)))
		length := math.Sqrt(n*n + 25)
		for k, want := range []float64{n / length, 3 / length, 4 / length} {
			if math.Abs(float64(v.Row(i)[k])-want) > 1e-6 {
				t.Fatalf("text %d: %v", i, v.Row(i))
			}
		}
	}
	for _, r := range s.requests {
		if len(r.Input) > 3 || r.Model != "small" || (len(r.Input) > 1 && len(strings.Join(r.Input, "")) > 200) {
			t.Errorf("request of %d texts", len(r.Input))
		}
	}
	if _, err := e.Embed(ctx, []string{"where"}, "query"); err != nil || s.requests[len(s.requests)-1].Input[0] != "query: where" {
		t.Fatal(err)
	}
	if v, err := e.Embed(ctx, nil, "query"); err != nil || len(v.Data) != 0 {
		t.Fatal(v, err)
	}
}

func TestUnitVectorsStayAsTheyAre(t *testing.T) {
	s := serve(t, func(_ int, r request) ([][]float64, int, string) { return [][]float64{{0.6, 0.8}}, 0, "" })
	v, err := provider(t, s, embed.Options{}).Embed(ctx, []string{"x"}, "query")
	if err != nil || v.Data[0] != 0.6 || v.Data[1] != 0.8 {
		t.Fatal(v, err)
	}
}

func TestWrongVectorsAreRefused(t *testing.T) {
	text := "Zorblat lives at 12 Elm Street"
	for name, c := range map[string]struct {
		rows   [][]float64
		status int
		body   string
		code   effect.Code
		dims   int
		hint   string
	}{
		"fewer":            {rows: [][]float64{{1, 0}}, code: effect.EmbedFailed, hint: "1 vectors for 2 texts"},
		"more":             {rows: [][]float64{{1}, {1}, {1}}, code: effect.EmbedFailed, hint: "3 vectors"},
		"none":             {rows: nil, code: effect.EmbedFailed, hint: "0 vectors"},
		"zero":             {rows: [][]float64{{0, 0}, {1, 0}}, code: effect.EmbedFailed, hint: "length zero"},
		"empty":            {rows: [][]float64{{}, {}}, code: effect.EmbedFailed, hint: "0 dimensions"},
		"mixed":            {rows: [][]float64{{1, 0}, {1, 0, 0}}, code: effect.EmbedFailed, hint: "expected"},
		"other dimensions": {rows: [][]float64{{1, 0}, {1, 0}}, dims: 16, code: effect.EmbedFailed, hint: "2 dimensions, expected 16"},
		"infinite":         {rows: [][]float64{{3e38, 3e38}, {1, 0}}, code: "", hint: ""},
		"NaN":              {status: 200, body: `{"data":[{"index":0,"embedding":[NaN]}]}`, code: effect.EmbedFailed, hint: "no JSON"},
		"null":             {status: 200, body: `{"data":[{"index":0,"embedding":[null,null]},{"index":1,"embedding":[1,0]}]}`, code: effect.EmbedFailed, hint: "length zero"},
		"same index":       {status: 200, body: `{"data":[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}]}`, code: effect.EmbedFailed, hint: "numbers"},
		"bad index":        {status: 200, body: `{"data":[{"index":0,"embedding":[1,0]},{"index":7,"embedding":[1,0]}]}`, code: effect.EmbedFailed, hint: "numbers"},
		"bad key":          {status: 401, body: `{"error":{"message":"Incorrect API key: ` + key + `"}}`, code: effect.Unauthorized, hint: "Incorrect"},
		"429":              {status: 429, body: `{"error":{"message":"slow down"}}`, code: effect.RateLimited, hint: "slow"},
		"500 that quotes":  {status: 500, body: `{"error":{"message":"cannot embed ` + text + `"}}`, code: effect.EmbedFailed, hint: "cannot embed"},
		"garbage":          {status: 200, body: "<html>", code: effect.EmbedFailed, hint: "no JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(int, request) ([][]float64, int, string) { return c.rows, c.status, c.body })
			v, err := provider(t, s, embed.Options{Dimensions: c.dims, MaxRetries: 1}).Embed(ctx, []string{text, "b"}, "document")
			if c.code == "" {
				if err != nil || math.Abs(float64(v.Data[0])-math.Sqrt(0.5)) > 1e-6 {
					t.Fatal(v, err)
				}
				return
			}
			if !effect.HasCode(err, c.code) || !strings.Contains(err.Error(), c.hint) {
				t.Fatal(err)
			}
			if strings.Contains(err.Error(), "Zorblat") || strings.Contains(err.Error(), "topsecret") {
				t.Fatal(err)
			}
		})
	}
}

func TestTryingAgainAndSplitting(t *testing.T) {
	s := serve(t, func(n int, r request) ([][]float64, int, string) {
		switch {
		case n == 1:
			return nil, 503, ""
		case len(r.Input) > 2:
			return nil, 413, ""
		}
		return byText(n, r)
	})
	v, err := provider(t, s, embed.Options{}).Embed(ctx, []string{"a", "bb", "ccc", "dddd", "eeeee"}, "document")
	if err != nil || len(v.Data) != 15 {
		t.Fatal(v, err)
	}
	s = serve(t, func(int, request) ([][]float64, int, string) { return nil, 413, "" })
	if _, err := provider(t, s, embed.Options{}).Embed(ctx, []string{"a", "b"}, "document"); !effect.HasCode(err, effect.ContextLength) {
		t.Fatal(err)
	}
}

func TestOptionsHideTheKey(t *testing.T) {
	o := embed.Options{Model: "m", Key: key}
	e, err := embed.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if s := fmt.Sprintf("%v %+v %#v %v %+v %#v", o, o, o, e, e, e); strings.Contains(s, "topsecret") {
		t.Fatal(s)
	}
	if _, err := embed.New(embed.Options{}); !effect.HasCode(err, effect.InvalidArgument) {
		t.Fatal(err)
	}
}
