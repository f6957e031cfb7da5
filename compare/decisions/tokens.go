package decisions

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/names"
	"github.com/modelparity/modelparity/tensor"
)

// Tokens compares sequences of token ids along the last axis; their lengths may differ.
//
// Each sequence is one decision. It flips at the first token that differs; later tokens do not
// count, because the texts differ from there on. With Logits, the flip is excused if the expected
// logits of the two tokens at that position are at most Margin apart. With Top, it is excused if
// each of the two tokens is among the Top largest logits of the other side, as in vLLM's tests. If
// the logits have n rows, these belong to the last n tokens of the expected sequence. Earlier
// tokens are the prompt, where nothing excuses a flip.
//
// If the runs come from package decode, no names are needed: Tokens then uses the output "tokens"
// and the output "logits", or the largest logits that decode.TopK keeps.
type Tokens struct {
	Output string  // the output with the ids; "" means "tokens", or the only output
	Logits string  // the output with the logits; "" means "logits" if there is "tokens"
	Margin float64 // the largest excused difference of logits
	Top    int     // how many top tokens to accept; 0 excuses nothing
	Ends   []int   // ids that end a sequence: tokens after the first such id do not count
	Flips  float64 // the share of sequences that may flip beyond the margin
}

// text returns the rule in words, such as "the tokens, margin 0.1".
func (r Tokens) text() string {
	text := "the tokens"
	if len(r.Ends) > 0 {
		text += " up to " + strings.Trim(fmt.Sprint(r.Ends), "[]")
	}
	if r.Top > 0 {
		text += fmt.Sprintf(", each token in the other side's top %d", r.Top)
	}
	return text + allowances(r.Margin, r.Flips, "sequences")
}

func (r Tokens) validate() error {
	if r.Top < 0 {
		return fmt.Errorf("tokens: Top is %d: want 1 or more", r.Top)
	}
	return errors.Join(margin(r.Margin), share("flips", r.Flips))
}

// scores returns the name of the output with the logits.
func (r Tokens) scores(expected []*tensor.Set) (string, error) {
	name := r.found(expected[0]).Logits
	if _, whole := output(expected[0], name); !whole {
		return "", errors.New("tokens: the noise is measured on logits: set Logits to the name of " +
			"their output")
	}
	return name, nil
}

// found returns the rule with its empty output names filled in. It uses package decode's names if
// the expected side has outputs with those names.
func (r Tokens) found(expected *tensor.Set) Tokens {
	if _, ok := output(expected, "tokens"); !ok || r.Output != "" {
		return r
	}
	r.Output = "tokens"
	if r.Logits == "" && hasLogits(expected, "logits") {
		r.Logits = "logits"
	}
	return r
}

func (r Tokens) scored() (Rule, *float64, float64) { return &r, &r.Margin, 2 }

func (r Tokens) judge(actual, expected []*tensor.Set, f *Findings) error {
	r = r.found(expected[0])
	if (r.Margin > 0 || r.Top > 0) && r.Logits == "" {
		return errors.New("tokens: Margin and Top need logits: set Logits to the name of their output")
	}
	s, err := both(r.Output, actual, expected, f)
	if err != nil {
		return err
	}
	f.Unit, f.Allowed, f.idle = "sequences", r.Flips, "a sequence cannot fail if the rule excuses "+
		"every change of its tokens, or if all expected tokens are equal"
	var tokens []int
	all, decisive := 0, 0
	for i := range s.expected {
		e, err := r.sequences(fmt.Sprintf("the expected %q", s.name), s.expected[i])
		if err != nil {
			return err
		}
		a, err := r.sequences(fmt.Sprintf("the actual %q", s.name), s.actual[i])
		if err != nil {
			return mismatch(err.Error())
		}
		if len(a) != len(e) {
			return mismatch(fmt.Sprintf("%d sequences in %q, expected %d", len(a), s.name, len(e)))
		}
		width := s.expected[i].Shape()[len(s.expected[i].Shape())-1]
		expectedLogits, err := r.logits("expected", expected[i], len(e), width)
		if err != nil {
			return err
		}
		actualLogits, err := r.other(actual[i], len(e), width)
		if err != nil {
			return err
		}
		for row := range e {
			if len(e[row]) == 0 {
				return fmt.Errorf("sequence %d of the expected %q has no tokens, so there is nothing to "+
					"compare", row, s.name)
			}
			tokens = append(tokens, e[row]...)
			all, decisive = all+1, decisive+one(r.decisive(row, e[row], expectedLogits))
			if !slices.Equal(a[row], e[row]) {
				flip, ranks := r.part(row, a[row], e[row], actualLogits, expectedLogits,
					f.in(i, fmt.Sprintf("sequence %d", row)))
				if f.flip(flip); ranks != "" && len(f.Notes) < shownFlips {
					f.Notes = append(f.Notes, flip.Where+": "+ranks)
				}
			}
		}
	}
	if len(tokens) > 1 && slices.Min(tokens) == slices.Max(tokens) {
		decisive = 0 // a run that repeats one token would pass
	}
	f.decide(all, decisive)
	return nil
}

// decisive reports whether the sequence has a position where some other token would fail the rule.
func (r Tokens) decisive(row int, sequence []int, of logits) bool {
	for place, token := range sequence {
		c := of.at(row, place)
		if c.values == nil || c.spread(token) > r.Margin && (c.tokens != nil || len(c.values) > r.Top) {
			return true
		}
	}
	return false
}

// part returns the flip at the first position where two sequences differ. ranks describes, for
// messages, the rank of each side's token among the other side's logits.
func (r Tokens) part(row int, a, e []int, actualLogits, expectedLogits logits, where string) (
	flip Flip, ranks string) {
	at := 0
	for at < min(len(a), len(e)) && a[at] == e[at] {
		at++
	}
	flip = Flip{Where: fmt.Sprintf("%s, place %d", where, at), Actual: continuation(a[at:]),
		Expected: continuation(e[at:]), Margin: inf}
	if at >= len(a) || at >= len(e) {
		return flip, ""
	}
	expected, actual := expectedLogits.at(row, at), actualLogits.at(row, at)
	x, theirs := expected.find(a[at])
	y, own := expected.find(e[at])
	_, mine := actual.find(e[at])
	if theirs > 0 && own > 0 {
		flip.Margin = gap(x, y)
		flip.Excused = flip.Margin <= r.Margin
	}
	var known []string
	if expected.values != nil {
		known = append(known, fmt.Sprintf("token %d %s in the expected logits", a[at],
			expected.rank(theirs)))
	}
	if actual.values != nil {
		known = append(known, fmt.Sprintf("token %d %s in the actual logits", e[at],
			actual.rank(mine)))
	}
	if r.Top > 0 && theirs > 0 && theirs <= r.Top && mine > 0 && mine <= r.Top {
		flip.Excused = true
	}
	return flip, strings.Join(known, ", ")
}

// continuation formats, for messages, a sequence's tokens from the first different one on.
func continuation(tokens []int) string {
	if len(tokens) == 0 {
		return "the end"
	}
	const shown = 6
	words := make([]string, 0, shown)
	for _, t := range tokens[:min(len(tokens), shown)] {
		words = append(words, strconv.Itoa(t))
	}
	if len(tokens) > shown {
		words = append(words, "…")
	}
	return strings.Join(words, " ")
}

// sequences returns the rows of ids, each cut after the first token that ends a sequence.
func (r Tokens) sequences(what string, t *tensor.Tensor) ([][]int, error) {
	all, err := integers(what, t)
	if err != nil {
		return nil, err
	}
	width, err := width(what, t)
	if err != nil {
		return nil, err
	}
	ids := split(all, width)
	for i := range ids {
		end := slices.IndexFunc(ids[i], func(id int) bool { return slices.Contains(r.Ends, id) })
		if end >= 0 {
			ids[i] = ids[i][:end+1]
		}
	}
	return ids, nil
}

// EditDistance returns the smallest number of insertions, deletions and replacements that turn one
// sequence into the other: the Levenshtein distance, as rapidfuzz.distance.Levenshtein computes it.
func EditDistance[T comparable](x, y []T) int { return names.Distance(x, y) }
