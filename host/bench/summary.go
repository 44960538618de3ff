package bench

import (
	"math"
	"slices"

	"github.com/leanmem/leanmem/core/mem"
)

// Summary is the outcome of a run: one row a method.
type Summary struct {
	Histories  int      `json:"histories"`
	Turns      int      `json:"turns"`
	Questions  int      `json:"questions"`
	Budgets    []int    `json:"budgets"`
	Main       int      `json:"main_budget"` // at which other measures than recall are quoted
	Reference  string   `json:"reference"`   // the method that others are compared with
	Curve      string   `json:"curve"`       // what the recall curve shows: "text recall", or "session recall" where the files mark only sessions
	Categories []string `json:"categories"`
	Rows       []Row    `json:"rows"`
}

// Row is one method.
type Row struct {
	Method    string  `json:"method"`
	Group     Group   `json:"group"`
	OwnSize   bool    `json:"own_size,omitempty"`
	Cells     []Cell  `json:"cells"` // one a budget, or a single one
	BuildMS   float64 `json:"build_ms_per_turn"`
	BuildToks float64 `json:"build_tokens_per_history"`
	// Build is what building one history spent on average, by stage.
	Build map[string]mem.Usage `json:"build,omitempty"`
}

// Measure is a mean over the questions to which a measure applies, with its
// 95 % interval; N 0: it applies to none.
type Measure struct {
	Mean     float64  `json:"mean"`
	Interval Interval `json:"interval"`
	N        int      `json:"n"`
}

// Cell is a method at a budget.
type Cell struct {
	Budget int     `json:"budget,omitempty"`
	Text   Measure `json:"text_recall"`
	// Ahead is the paired difference of the reference's text recall from this
	// method's at the same budget: positive where the reference is better.
	Ahead           *Measure           `json:"reference_ahead,omitempty"`
	ID              Measure            `json:"id_recall"`
	Session         Measure            `json:"session_recall"`
	Answer          Measure            `json:"answer"`
	Date            Measure            `json:"date"`
	Current         Measure            `json:"current"`
	Newest          Measure            `json:"newest"`
	ByCategory      map[string]Measure `json:"by_category"`
	AUROC           *float64           `json:"auroc,omitempty"`
	FalseEvidence   *float64           `json:"false_evidence,omitempty"`
	FalseAbstention *float64           `json:"false_abstention,omitempty"`
	Tokens          float64            `json:"tokens"`
	OverBudget      int                `json:"over_budget"` // questions whose evidence exceeds the budget
	InferTokens     float64            `json:"inference_tokens"`
	MS              float64            `json:"ms"`
	// Of the answers, where there was a reader. Its calls and tokens are of the
	// plan and the answer, not of the judge.
	Answers     int     `json:"answers,omitempty"`
	F1          Measure `json:"f1"`
	SetF1       Measure `json:"set_f1"`
	Strict      Measure `json:"strict"`
	Lenient     Measure `json:"lenient"`
	AnswerCalls float64 `json:"answer_calls,omitempty"`
	AnswerMS    float64 `json:"answer_ms,omitempty"`
}

const seed = 20250101

// Summarise makes the rows of methods from results.
func Summarise(b *Bench, results []Result) Summary {
	s := Summary{Histories: len(b.Histories), Budgets: b.Budgets, Main: mainBudget(b.Budgets), Reference: "leanmem"}
	for _, h := range b.Histories {
		s.Turns += h.Turns()
		s.Questions += len(h.Questions)
		for _, q := range h.Questions {
			if !q.Absent && !slices.Contains(s.Categories, q.Category) {
				s.Categories = append(s.Categories, q.Category)
			}
		}
	}
	slices.Sort(s.Categories)
	s.Curve = curveOf(b)
	by := map[string][]Result{}
	for _, r := range results {
		by[r.Method] = append(by[r.Method], r)
	}
	for _, m := range b.Methods {
		s.Rows = append(s.Rows, rowOf(m, b.Budgets, by[m.Name], by[s.Reference]))
	}
	return s
}

// curveOf is the measure that applies to more of the questions.
func curveOf(b *Bench) string {
	texts, sessions := 0, 0
	for _, h := range b.Histories {
		for _, q := range h.Questions {
			if !q.Absent && len(q.Evidence) > 0 {
				texts++
			} else if !q.Absent && len(q.Sessions) > 0 {
				sessions++
			}
		}
	}
	if sessions > texts {
		return "session recall"
	}
	return "text recall"
}

// Recall is the cell's measure on the curve.
func (s Summary) Recall(c Cell) Measure {
	if s.Curve == "session recall" {
		return c.Session
	}
	return c.Text
}

func mainBudget(budgets []int) int {
	if slices.Contains(budgets, 2000) {
		return 2000
	}
	return budgets[len(budgets)-1]
}

func rowOf(m Method, budgets []int, results, reference []Result) Row {
	row := Row{Method: m.Name, Group: m.Group, OwnSize: m.OwnSize}
	if m.OwnSize {
		budgets = []int{0}
	}
	row.Build = map[string]mem.Usage{}
	var ms, turns, toks, builds float64
	for _, r := range results {
		if r.Question == "" {
			ms += r.Cost.MS.Total
			turns += float64(r.Turns)
			toks += float64(r.Cost.Tokens())
			builds++
			for stage, u := range r.Cost.Usage {
				row.Build[stage] = row.Build[stage].Plus(u)
			}
		}
	}
	for stage, u := range row.Build {
		row.Build[stage] = shared(u, int(builds))
	}
	row.BuildMS, row.BuildToks = ms/math.Max(1, turns), toks/math.Max(1, builds)
	for _, budget := range budgets {
		cell := cellOf(budget, at(results, budget))
		if budget > 0 && m.Name != "leanmem" {
			cell.Ahead = ahead(at(reference, budget), at(results, budget))
		}
		row.Cells = append(row.Cells, cell)
	}
	return row
}

func at(results []Result, budget int) []Result {
	var out []Result
	for _, r := range results {
		if r.Question != "" && r.Budget == budget {
			out = append(out, r)
		}
	}
	return out
}

func cellOf(budget int, results []Result) Cell {
	c := Cell{Budget: budget, ByCategory: map[string]Measure{}}
	pick := func(of func(Result) *float64) Measure { return measure(results, of) }
	c.Text = pick(func(r Result) *float64 { return r.TextRecall })
	c.ID = pick(func(r Result) *float64 { return r.IDRecall })
	c.Session = pick(func(r Result) *float64 { return r.Session })
	c.Answer = pick(func(r Result) *float64 { return r.Answer })
	c.Date = pick(func(r Result) *float64 { return r.Date })
	c.Current = pick(func(r Result) *float64 { return r.Current })
	c.Newest = pick(func(r Result) *float64 { return r.Newest })
	groups := map[string][]Result{}
	for _, r := range results {
		groups[r.Category] = append(groups[r.Category], r)
		c.Tokens += float64(r.Tokens)
		c.MS += r.Cost.MS.Total
		c.InferTokens += float64(r.Cost.Tokens() + r.Tokens)
		if budget > 0 && r.Tokens > budget {
			c.OverBudget++
		}
	}
	for name, group := range groups {
		m := measure(group, func(r Result) *float64 { return r.TextRecall })
		if m.N == 0 { // files that mark only sessions
			m = measure(group, func(r Result) *float64 { return r.Session })
		}
		if m.N > 0 {
			c.ByCategory[name] = m
		}
	}
	n := math.Max(1, float64(len(results)))
	c.Tokens, c.MS, c.InferTokens = c.Tokens/n, c.MS/n, c.InferTokens/n
	c.abstention(results)
	c.answers(results)
	return c
}

// shared is a usage by n.
func shared(u mem.Usage, n int) mem.Usage {
	n = max(1, n)
	return mem.Usage{Calls: u.Calls / n, Prompt: u.Prompt / n, Completion: u.Completion / n, Cached: u.Cached / n, Estimated: u.Estimated / n, Fallbacks: u.Fallbacks / n}
}

// answers rates what the reader said. The tokens of inference are then those
// that were paid for, evidence and prompt together.
func (c *Cell) answers(results []Result) {
	of := func(pick func(*Answered) *float64) Measure {
		return measure(results, func(r Result) *float64 {
			if r.Answered == nil {
				return nil
			}
			return pick(r.Answered)
		})
	}
	c.F1 = of(func(a *Answered) *float64 { return &a.F1 })
	c.SetF1 = of(func(a *Answered) *float64 { return &a.SetF1 })
	c.Strict = of(func(a *Answered) *float64 { return a.Strict })
	c.Lenient = of(func(a *Answered) *float64 { return a.Lenient })
	tokens := 0
	for _, r := range results {
		if r.Answered == nil {
			continue
		}
		c.Answers++
		u := r.Answered.Usage["answer"]
		tokens += u.Prompt + u.Completion + r.Cost.Tokens()
		for _, plan := range r.Cost.Usage { // a sum: order does not matter
			u.Calls += plan.Calls
		}
		c.AnswerCalls += float64(u.Calls)
		c.AnswerMS += r.Answered.MS.Total
	}
	if n := float64(c.Answers); n > 0 {
		c.AnswerCalls, c.AnswerMS = c.AnswerCalls/n, c.AnswerMS/n
		c.InferTokens = float64(tokens) / n
	}
}

// abstention rates the reported confidence.
func (c *Cell) abstention(results []Result) {
	var present, absent []float64
	falseEvidence, falseAbstention := 0, 0
	for _, r := range results {
		switch {
		case r.Confidence == nil:
		case r.Absent:
			absent = append(absent, *r.Confidence)
			if r.Sufficient {
				falseEvidence++
			}
		default:
			present = append(present, *r.Confidence)
			if !r.Sufficient {
				falseAbstention++
			}
		}
	}
	if len(present) == 0 || len(absent) == 0 {
		return
	}
	area := AUROC(present, absent)
	fe, fa := float64(falseEvidence)/float64(len(absent)), float64(falseAbstention)/float64(len(present))
	c.AUROC, c.FalseEvidence, c.FalseAbstention = &area, &fe, &fa
}

func measure(results []Result, of func(Result) *float64) Measure {
	var values []float64
	for _, r := range results {
		if v := of(r); v != nil {
			values = append(values, *v)
		}
	}
	if len(values) == 0 {
		return Measure{}
	}
	return Measure{Mean: Mean(values), Interval: Bootstrap(values, seed), N: len(values)}
}

// ahead pairs two methods by question.
func ahead(reference, other []Result) *Measure {
	type id struct{ history, question string }
	mine := map[id]float64{}
	for _, r := range other {
		if v := quality(r); v != nil {
			mine[id{r.History, r.Question}] = *v
		}
	}
	var a, b []float64
	for _, r := range reference {
		v := quality(r)
		if w, ok := mine[id{r.History, r.Question}]; ok && v != nil {
			a, b = append(a, *v), append(b, w)
		}
	}
	if len(a) == 0 {
		return nil
	}
	return &Measure{Mean: Mean(a) - Mean(b), Interval: PairedBootstrap(a, b, seed), N: len(a)}
}

// quality is what methods are compared by: text recall, or session recall where
// a file marks only sessions.
func quality(r Result) *float64 {
	if r.TextRecall != nil {
		return r.TextRecall
	}
	return r.Session
}
