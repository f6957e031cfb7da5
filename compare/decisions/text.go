package decisions

import (
	"fmt"
	"math"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Text compares strings by edit distance. A text flips if it differs from the expected text. The
// flip is excused if the text's character error rate is at most Errors:
//
//	edits (insertions, deletions, replacements of code points) / code points of the expected text
//
// An empty expected text flips unless the actual text is empty too. It is an error if all expected
// texts are empty.
type Text struct {
	Output string // "" if there is one output
	Errors float64
}

// text returns the rule in words, such as "the text, at most 2 % of the characters wrong".
func (r Text) text() string {
	if r.Errors == 0 {
		return "the text"
	}
	return fmt.Sprintf("the text, at most %s of the characters wrong", figures.Percent(r.Errors))
}

func (r Text) validate() error { return share("the character error rate", r.Errors) }

func (r Text) judge(actual, expected []*tensor.Set, f *Findings) error {
	s, err := both(r.Output, actual, expected, f)
	if err != nil {
		return err
	}
	f.Unit = "texts"
	edits, characters, worst := 0, 0, 0.
	for i := range s.expected {
		if t := s.expected[i].ElementType(); t != tensor.String {
			return fmt.Errorf("the expected %q contains %v; want strings", s.name, t)
		}
		if t := s.actual[i].ElementType(); t != tensor.String {
			return mismatch(fmt.Sprintf("%q contains %v, expected string", s.name, t))
		}
		a, e := s.actual[i].Strings(), s.expected[i].Strings()
		if len(a) != len(e) {
			return mismatch(fmt.Sprintf("%d texts in %q, expected %d", len(a), s.name, len(e)))
		}
		for k := range e {
			x, y := []rune(a[k]), []rune(e[k])
			f.decide(1, one(len(y) > 0))
			n := EditDistance(x, y)
			edits, characters = edits+n, characters+len(y)
			rate := float64(n) / float64(max(len(y), 1))
			if worst = math.Max(worst, rate); a[k] != e[k] {
				f.flip(Flip{f.in(i, fmt.Sprintf("text %d", k)), excerpt(x, y),
					fmt.Sprintf("%s, %s of the characters wrong", excerpt(y, x), figures.Percent(rate)), inf,
					len(y) > 0 && n > 0 && rate <= r.Errors})
			}
		}
	}
	if characters == 0 {
		return fmt.Errorf("every text of the expected %q is empty, so there is nothing to compare",
			s.name)
	}
	f.tell("character error rate", float64(edits)/float64(characters))
	f.tell("character error rate of the worst text", worst)
	return nil
}

// excerpt returns the part of text around the first character that differs from other.
func excerpt(text, other []rune) string {
	const before, after = 10, 30
	at := 0
	for at < min(len(text), len(other)) && text[at] == other[at] {
		at++
	}
	from, to := max(0, at-before), min(len(text), at+after)
	quoted := fmt.Sprintf("%q", string(text[from:to]))
	if from > 0 {
		quoted = "…" + quoted
	}
	if to < len(text) {
		quoted += "…"
	}
	return quoted
}
