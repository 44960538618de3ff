package core

import (
	"encoding/json"

	"github.com/leanmem/leanmem/core/mem"
)

// appender is a result that writes its own JSON, because encoding/json would
// take most of the time of a small search.
type appender interface {
	appendJSON(b []byte) ([]byte, error)
}

func encode(result any) ([]byte, error) {
	if a, ok := result.(appender); ok {
		return a.appendJSON(nil)
	}
	return json.Marshal(result)
}

func (r *SearchResult) appendJSON(b []byte) ([]byte, error) {
	b, err := appendOpen(b, struct {
		Outcome
		Query string `json:"query"`
	}{r.Outcome, r.Query})
	if err != nil {
		return nil, err
	}
	return appendPlan(r.Evidence.AppendFields(b), &r.Plan)
}

func (r *AnswerResult) appendJSON(b []byte) ([]byte, error) {
	b, err := appendOpen(b, struct {
		Outcome
		Query string `json:"query"`
		mem.Answer
	}{r.Outcome, r.Query, r.Answer})
	if err != nil {
		return nil, err
	}
	b = append(r.Evidence.AppendFields(append(b, `"evidence":{`...)), '}')
	return appendPlan(b, &r.Plan)
}

// appendOpen appends an object of at least one member, up to where the next
// one begins.
func appendOpen(b []byte, members any) ([]byte, error) {
	m, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return append(append(b, m[:len(m)-1]...), ','), nil
}

// appendPlan appends the last member of a result.
func appendPlan(b []byte, p *mem.Plan) ([]byte, error) {
	m, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return append(append(append(b, `,"plan":`...), m...), '}'), nil
}
