package decisions

import (
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/tensor"
)

// logits contains scores for the last positions of each sequence. At each position, every token of
// the vocabulary has a score. logits contains either all of these scores, or only the highest ones
// and their tokens.
type logits struct {
	values       [][]float64
	tokens       [][]int // nil if the values cover the whole vocabulary
	first, count int     // each sequence has count rows, for the positions from first on
}

// candidates contains the scores of the possible tokens at one position. It is empty if the scores
// are not known.
type candidates struct {
	values []float64
	tokens []int
}

func (l logits) at(sequence, place int) (c candidates) {
	at := place - l.first
	if at < 0 || at >= l.count {
		return c
	}
	c.values = l.values[sequence*l.count+at]
	if l.tokens != nil {
		c.tokens = l.tokens[sequence*l.count+at]
	}
	return c
}

// find returns the score of a token and the rank of that score, counted from 1. The rank is 0 if
// the token has no known score. With equal scores, the lower token ranks first.
func (c candidates) find(token int) (score float64, place int) {
	if c.tokens != nil {
		if i := slices.Index(c.tokens, token); i >= 0 {
			return c.values[i], i + 1
		}
		return 0, 0
	}
	if token < 0 || token >= len(c.values) {
		return 0, 0
	}
	return c.values[token], ahead(c.values, token) + 1
}

// spread returns the largest difference between the given token's logit and another token's. It is
// +Inf if the logits of some tokens are unknown.
func (c candidates) spread(token int) (greatest float64) {
	score, place := c.find(token)
	if place == 0 || c.tokens != nil {
		return inf
	}
	for _, v := range c.values {
		greatest = max(greatest, gap(score, v))
	}
	return greatest
}

// rank describes a rank: "has rank 3", or "is not in the top 20" if only 20 scores are known.
func (c candidates) rank(place int) string {
	switch {
	case place > 0:
		return fmt.Sprintf("has rank %d", place)
	case c.tokens != nil:
		return fmt.Sprintf("is outside the top %d", len(c.tokens))
	}
	return "has no rank"
}

// The suffixes of the names of the two outputs of decode.TopK, which keeps only the largest logits.
const (
	topValues = ".top_values"
	topTokens = ".top_tokens"
)

// hasLogits reports whether a run has logits under the given name: either all logits, or only the
// largest logits at each position, from decode.TopK.
func hasLogits(of *tensor.Set, name string) bool {
	_, whole := output(of, name)
	_, greatest := output(of, name+topTokens)
	return whole || greatest
}

// other reads the actual side's logits. They must be present if Top needs them. Otherwise they may
// be missing, because they only add detail to a flip's description.
func (r Tokens) other(actual *tensor.Set, sequences, width int) (logits, error) {
	if r.Logits == "" || !hasLogits(actual, r.Logits) {
		if r.Top > 0 {
			return logits{}, mismatch(fmt.Sprintf("output %q is missing, but Top %d needs it", r.Logits,
				r.Top))
		}
		return logits{}, nil
	}
	of, err := r.logits("actual", actual, sequences, width)
	if err != nil {
		err = mismatch(err.Error())
	}
	return of, err
}

// logits reads the logits of one side.
func (r Tokens) logits(side string, of *tensor.Set, sequences, width int) (l logits, err error) {
	if r.Logits == "" {
		return l, nil
	}
	name, top := r.Logits, []int(nil)
	t, ok := output(of, name)
	if !ok {
		name += topValues
		if t, ok = output(of, name); !ok {
			return l, fmt.Errorf("the %s run has no output %q with logits", side, r.Logits)
		}
		tokens, ok := output(of, r.Logits+topTokens)
		if !ok || !tokens.Shape().Equal(t.Shape()) {
			return l, fmt.Errorf("the %s run has no output %q of shape %v", side,
				r.Logits+topTokens, t.Shape())
		}
		if top, err = integers(fmt.Sprintf("the %s %q", side, r.Logits+topTokens), tokens); err != nil {
			return l, err
		}
	}
	what := fmt.Sprintf("the %s %q", side, name)
	if l.values, err = rows(what, t); err != nil {
		return l, err
	}
	for row, values := range l.values {
		if err := finite(what, row, values); err != nil {
			return l, err
		}
	}
	if top != nil {
		l.tokens = split(top, len(l.values[0]))
	}
	l.count = len(l.values) / sequences
	if l.count*sequences != len(l.values) || l.count > width {
		return l, fmt.Errorf("the %s %q has shape %v: want the same number of rows for each of %d "+
			"sequences, and at most %d per sequence", side, name, t.Shape(), sequences, width)
	}
	l.first = width - l.count
	return l, nil
}
