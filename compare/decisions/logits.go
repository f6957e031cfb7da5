package decisions

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Logits compares the logits of a language model, [batch,tokens,vocabulary], with the expected ones
// for the same text.
//
// Each position is one decision: the token with the largest logit leads; ties go to the lower
// token. The decision flips if different tokens lead on the two sides. The margin of a flip is the
// difference between the expected logits of these two tokens.
//
// If Limits is set, the verdict depends on these limits instead of the flips. They apply to
// statistics of the divergence between the two distributions, as llama.cpp's llama-perplexity
// --kl-divergence prints them, and to errors of the largest logits. See [LogitTable] for the
// definitions.
//
// The output named by Tokens says which token follows each position; perplexity and Δp need it. Its
// shape is [batch,tokens]. It may contain additional tokens at both ends: first a prompt without
// logits, and last the token that was chosen last. A token of −1 is padding and does not count.
// Positions after the first difference between the two sides' tokens do not count either, because
// the texts differ from there on.
type Logits struct {
	Output string // the output with the logits; "" means "logits", or the only output
	Tokens string // the output with the tokens; "" means "tokens", if the expected run has it
	Margin float64
	Flips  float64 // the share of positions that may flip beyond the margin
	Limits Limits
	// Tail excludes tokens from the divergence if their expected log-probability is at most −Tail.
	// 0 excludes none. llama.cpp uses 16, because its files do not store smaller probabilities.
	Tail float64
}

// Limits is a list of limits that must all hold.
type Limits []LogitLimit

// LogitLimit is a limit for one statistic, such as MeanKLD().AtMost(0.01).
type LogitLimit struct {
	Statistic LogitStatistic
	Limit     float64
	AtMost    bool // an upper limit; otherwise a lower limit
}

// text returns the rule in words, such as "the top token, margin 0.1" or "logits, mean KLD at
// most 0.01".
func (r Logits) text() string {
	text := "the top token"
	if len(r.Limits) > 0 {
		text = "logits"
	}
	for _, l := range r.Limits {
		how := "at least"
		if l.AtMost {
			how = "at most"
		}
		text += fmt.Sprintf(", %s %s %s", l.Statistic, how, figures.Exact(l.Limit))
	}
	if r.Tail > 0 {
		text += fmt.Sprintf(", ignoring tokens with a probability below e^-%s", figures.Exact(r.Tail))
	}
	return text + allowances(r.Margin, r.Flips, "positions")
}

func (r Logits) validate() error {
	problems := []error{margin(r.Margin), share("flips", r.Flips)}
	if len(r.Limits) > 0 && r.Flips != 0 {
		problems = append(problems, errors.New("logits: Flips has no effect if Limits is set: add "+
			"SameTop().AtLeast(…) to Limits instead"))
	}
	if !(r.Tail >= 0 && r.Tail <= maxMargin) {
		problems = append(problems, fmt.Errorf("logits: Tail is %v: want 0 or more", r.Tail))
	}
	for _, l := range r.Limits {
		problems = append(problems, l.validate())
	}
	return errors.Join(problems...)
}

func (l LogitLimit) validate() error {
	switch {
	case l.Statistic.of == nil:
		return errors.New("logits: a limit has no statistic: create limits with AtMost or AtLeast, " +
			"such as decisions.MeanKLD().AtMost(0.01)")
	case l.Statistic.wrong != nil:
		return l.Statistic.wrong
	case math.IsNaN(l.Limit) || math.IsInf(l.Limit, 0):
		return fmt.Errorf("logits: %s: the limit is %v: want a finite number", l.Statistic, l.Limit)
	case !l.AtMost && l.Limit <= l.Statistic.least, l.AtMost && l.Limit >= l.Statistic.most:
		return fmt.Errorf("logits: %s: no value violates the limit %v, so nothing could fail: set a "+
			"stricter limit", l.Statistic, l.Limit)
	}
	return nil
}

// scores returns the name of the output that contains the logits.
func (r Logits) scores(expected []*tensor.Set) (string, error) {
	if _, ok := output(expected[0], "logits"); r.Output == "" && ok {
		return "logits", nil
	}
	return nameOf(r.Output, expected)
}

func (r Logits) scored() (Rule, *float64, float64) { return &r, &r.Margin, 2 }

// Table computes the statistics alone, without a verdict.
func (r Logits) Table(actual, expected []*tensor.Set) (*LogitTable, error) {
	if len(expected) == 0 || len(actual) != len(expected) {
		return nil, fmt.Errorf("decisions: %d iterations of logits, expected %d", len(actual),
			len(expected))
	}
	table, _, err := r.table(actual, expected, &Findings{})
	if err != nil {
		return nil, fmt.Errorf("decisions: %w", err)
	}
	return table, nil
}

func (r Logits) judge(actual, expected []*tensor.Set, f *Findings) error {
	table, all, err := r.table(actual, expected, f)
	if err != nil {
		return err
	}
	f.Unit, f.Allowed, f.idle = "positions", r.Flips, noOrder
	least := r.Margin
	if len(r.Limits) > 0 {
		f.Allowed, least = inf, 0
	}
	var first, beyond *position
	flat := true
	for i := range all {
		p := &all[i]
		f.decide(1, one(p.spread > least))
		flat = flat && p.actual == isFlat
		if p.actual == p.expected {
			continue
		}
		f.flip(p.flip(f, r.Margin))
		first = p.earlier(first)
		if p.margin > r.Margin {
			beyond = p.earlier(beyond)
		}
	}
	if first != nil {
		f.Notes = append(f.Notes, fmt.Sprintf("the top token first differs at %v",
			first.flip(f, r.Margin)))
	}
	if beyond != nil && beyond != first {
		f.Notes = append(f.Notes, fmt.Sprintf("the top token first differs beyond the "+
			"margin at %v", beyond.flip(f, r.Margin)))
	}
	if flat && f.could > 0 {
		f.broken = "in every row of the actual run, all logits are equal"
	}
	table.tell(f, r.Limits, all)
	return nil
}

// table computes the results for every position of every iteration, and the table of their
// statistics.
func (r Logits) table(actual, expected []*tensor.Set, f *Findings) (*LogitTable, []position,
	error) {
	name, err := r.scores(expected)
	if err != nil {
		return nil, nil, err
	}
	s, err := alike(name, actual, expected, f)
	if err != nil {
		return nil, nil, err
	}
	var all []position
	left := 0
	for i := range s.expected {
		if err := cmp.Or(exact(fmt.Sprintf("the expected %q", name), s.expected[i]),
			exact(fmt.Sprintf("the actual %q", name), s.actual[i])); err != nil {
			return nil, nil, err
		}
		positions, after, err := r.positions(actual[i], expected[i], s.expected[i], i)
		if err != nil {
			return nil, nil, err
		}
		if err := look(s.actual[i], s.expected[i], name, r.Tail, positions); err != nil {
			return nil, nil, err
		}
		left, all = left+after, append(all, positions...)
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("every position of the expected %q is padding, so there is "+
			"nothing to compare", name)
	}
	if left > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%d positions are left out, because they follow the "+
			"first token that differs", left))
	}
	return tableOf(all), all, nil
}

// look compares the logits at all positions, using all processors.
func look(actual, expected *tensor.Tensor, name string, tail float64, all []position) error {
	workers := min(runtime.GOMAXPROCS(0), len(all))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			row := newRows(actual, expected, tail)
			for i := w; i < len(all); i += workers {
				row.look(&all[i])
			}
		})
	}
	wait.Wait()
	for i := range all {
		switch p := &all[i]; {
		case p.wrong != nil && p.onExpected:
			return fmt.Errorf("the expected %q: %s: %w", name, p.place(), p.wrong)
		case p.wrong != nil:
			return mismatch(fmt.Sprintf("%q: %s: %v", name, p.place(), p.wrong))
		}
	}
	return nil
}

// positions returns the positions of an iteration's logits to compare, with the token that follows
// each. after is the number of positions left out because they follow the first token that differs
// between the two sides.
func (r Logits) positions(actual, expected *tensor.Set, logits *tensor.Tensor, iteration int) (
	all []position, after int, err error) {
	shape := logits.Shape()
	if len(shape) == 0 || logits.Len() == 0 || logits.ElementType() == tensor.String {
		return nil, 0, fmt.Errorf("the expected logits are %v%v: want numbers of shape "+
			"[batch,tokens,vocabulary]", logits.ElementType(), shape)
	}
	if shape[len(shape)-1] == 1 {
		return nil, 0, errors.New("the expected logits have a vocabulary of one token, so the " +
			"top token can never change")
	}
	length, sequences := 1, 1
	if len(shape) > 1 {
		length = shape[len(shape)-2]
		sequences = logits.Len() / shape[len(shape)-1] / length
	}
	words := shape[len(shape)-1]
	e, err := r.tokens("expected", expected, sequences, length)
	if err != nil {
		return nil, 0, err
	}
	a, err := r.tokens("actual", actual, sequences, length)
	if err != nil {
		return nil, 0, mismatch(err.Error())
	}
	if e == nil && (r.Tokens != "" || slices.ContainsFunc(r.Limits, func(l LogitLimit) bool {
		return l.Statistic.follows
	})) {
		return nil, 0, errors.New("perplexity and Δp need the token that follows each position, but " +
			"the expected run has no output with token ids, such as a decoder's \"tokens\"")
	}
	for s := range sequences {
		for i := range length {
			p := position{iteration: iteration, sequence: s, token: i, row: s*length + i, next: -1}
			if e != nil {
				if a != nil && a[s][i] != e[s][i] {
					after += length - i
					break
				}
				if e[s][i] < 0 {
					continue
				}
				if i+1 < len(e[s]) {
					p.next = e[s][i+1]
				}
				if p.next >= words {
					return nil, 0, fmt.Errorf("%s is followed by token %d, but the vocabulary has only %d "+
						"tokens", p.place(), p.next, words)
				}
			}
			all = append(all, p)
		}
	}
	return all, after, nil
}

// tokens returns the rows of the output with the tokens, or nil if there is no such output.
func (r Logits) tokens(side string, of *tensor.Set, sequences, length int) ([][]int, error) {
	name := r.Tokens
	if name == "" {
		name = "tokens"
	}
	t, ok := output(of, name)
	if !ok || r.Tokens == "" && !t.ElementType().IsInteger() {
		return nil, nil
	}
	n := t.Len() / max(sequences, 1)
	if !t.ElementType().IsInteger() || n*sequences != t.Len() || n < length {
		return nil, fmt.Errorf("the %s %q is %v%v: want integers of shape [%d,n] with n ≥ %d, "+
			"the number of positions in the logits", side, name, t.ElementType(), t.Shape(), sequences,
			length)
	}
	ids, err := integers(fmt.Sprintf("the %s %q", side, name), t)
	all := split(ids, n)
	for i := range all {
		all[i] = all[i][max(0, n-length-1):]
	}
	return all, err
}

// tell adds the statistics to the findings. Statistics with a limit come first.
func (t *LogitTable) tell(f *Findings, limits []LogitLimit, all []position) {
	var limited []string
	var equal *LogitTable
	wrong := make([]*LogitTable, len(wrongRuns))
	if len(limits) > 0 {
		equal = tableIf(all, equalRun)
		for i, run := range wrongRuns {
			wrong[i] = tableIf(all, run)
		}
	}
	for _, l := range limits {
		value := l.Statistic.of(t)
		m := Measure{Name: l.Statistic.String(), Value: value.Value, Error: value.Error, Limit: l.Limit,
			AtMost: l.AtMost, ifEqual: l.Statistic.of(equal).Value}
		for _, other := range wrong {
			if m.ifWrong = l.Statistic.of(other).Value; !m.with(m.ifWrong).Holds() {
				break
			}
		}
		f.Measures = append(f.Measures, m)
		limited = append(limited, l.Statistic.String())
	}
	for _, s := range t.statistics() {
		if value := s.of(t); !slices.Contains(limited, s.String()) {
			f.Measures = append(f.Measures, Measure{Name: s.String(), Value: value.Value,
				Error: value.Error, Limit: math.NaN()})
		}
	}
	if t.Positions < fewPositions {
		f.Notes = append(f.Notes, fmt.Sprintf("%d positions are too few for reliable statistics",
			t.Positions))
	}
}

// fewPositions is the number of positions below which llama.cpp prints no statistics.
const fewPositions = 100
