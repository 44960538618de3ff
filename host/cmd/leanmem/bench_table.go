package main

import (
	"fmt"
	"strconv"

	"github.com/leanmem/leanmem/host/bench"
)

// showBench prints one table, a row a method.
func (a *app) showBench(s bench.Summary) {
	a.say("%s, %s, %s; %s by budget, everything else at %d tokens", plural(s.Histories, "history", "histories"),
		count(s.Turns, "turn"), count(s.Questions, "question"), s.Curve, s.Main)
	header := []string{"method"}
	for _, b := range s.Budgets {
		header = append(header, "@"+strconv.Itoa(b))
	}
	header = append(header, "own", "ahead by (95 %)", "session", "answer", "date", "current", "newest", "AUROC", "false ev.", "false abst.", "tokens", "ms/q", "build ms/turn")
	var rows [][]string
	group := bench.Group("")
	for _, r := range s.Rows {
		if r.Group != group {
			group = r.Group
			rows = append(rows, []string{"— " + string(group)})
		}
		rows = append(rows, benchRow(s, r))
	}
	wide(a.out, header, rows)
	a.showSpending(s)
	a.showAnswers(s)
}

// showSpending prints what building took of a model, by stage, where one was
// asked.
func (a *app) showSpending(s bench.Summary) {
	var rows [][]string
	for _, r := range s.Rows {
		for _, stage := range sortedKeys(r.Build) {
			if u := r.Build[stage]; u.Calls > 0 {
				rows = append(rows, []string{r.Method, stage, a.spent(u)})
			}
		}
	}
	if len(rows) > 0 {
		a.say("\nbuilding a history, by stage")
		wide(a.out, []string{"method", "stage", "spent"}, rows)
	}
}

// showAnswers prints the accuracy of the reader's answers by method.
func (a *app) showAnswers(s bench.Summary) {
	var rows [][]string
	for _, r := range s.Rows {
		c := r.At(s.Main)
		if c.Answers == 0 {
			continue
		}
		rows = append(rows, []string{r.Method, number(c.Answers), bench.Percent(c.F1), bench.Percent(c.SetF1), bench.Percent(c.Strict), bench.Percent(c.Lenient),
			fmt.Sprintf("%.0f", r.BuildToks), fmt.Sprintf("%.0f", c.InferTokens), fmt.Sprintf("%.2f", c.AnswerCalls), fmt.Sprintf("%.0f", c.MS), fmt.Sprintf("%.0f", c.AnswerMS)})
	}
	if len(rows) > 0 {
		a.say("\nanswers, at %d tokens of evidence", s.Main)
		wide(a.out, []string{"method", "answers", "F1", "set F1", "strict", "lenient", "build tokens", "tokens/q", "calls/q", "evidence ms/q", "answer ms/q"}, rows)
	}
}

func benchRow(s bench.Summary, r bench.Row) []string {
	row := []string{r.Method}
	own := ""
	for i := range s.Budgets {
		if r.OwnSize {
			row = append(row, "")
			continue
		}
		row = append(row, bench.Percent(s.Recall(r.Cells[i])))
	}
	c := r.At(s.Main)
	if r.OwnSize {
		own = bench.Percent(s.Recall(c))
	}
	ahead := ""
	if c.Ahead != nil {
		ahead = fmt.Sprintf("%+.1f … %+.1f", 100*c.Ahead.Interval.Low, 100*c.Ahead.Interval.High)
	}
	return append(row, own, ahead, bench.Percent(c.Session), bench.Percent(c.Answer), bench.Percent(c.Date), bench.Percent(c.Current), bench.Percent(c.Newest),
		ratio(c.AUROC), ratio(c.FalseEvidence), ratio(c.FalseAbstention), fmt.Sprintf("%.0f", c.Tokens), fmt.Sprintf("%.2f", c.MS), fmt.Sprintf("%.2f", r.BuildMS))
}

func (a *app) showCategories(s bench.Summary) {
	a.say("\nby category at %d tokens", s.Main)
	header := append([]string{"method"}, s.Categories...)
	var rows [][]string
	for _, r := range s.Rows {
		row := []string{r.Method}
		for _, name := range s.Categories {
			row = append(row, bench.Percent(r.At(s.Main).ByCategory[name]))
		}
		rows = append(rows, row)
	}
	wide(a.out, header, rows)
}

func ratio(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", *v)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}
