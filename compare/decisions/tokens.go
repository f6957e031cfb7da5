package decisions

import "fmt"

// TokensReport is how two sequences of tokens part.
type TokensReport struct {
	Length  int  `json:"length"`  // of the expected sequence
	Common  int  `json:"common"`  // tokens before the first difference
	Edits   int  `json:"edits"`   // insertions, deletions and replacements between the two
	Differs bool `json:"differs"` // in a token or in the length
	// Actual and Expected are the continuations from the first difference on, at most ten tokens.
	Actual   []int `json:"actual,omitempty"`
	Expected []int `json:"expected,omitempty"`
}

// shown is how many tokens of a continuation a report holds.
const shown = 10

// Tokens compares two sequences of token ids. An expected sequence without tokens is an error: it
// decides nothing.
func Tokens(actual, expected []int) (TokensReport, error) {
	if len(expected) == 0 {
		return TokensReport{}, fmt.Errorf("decisions: the expected sequence has no tokens, so nothing " +
			"is decided")
	}
	r := TokensReport{Length: len(expected), Edits: EditDistance(actual, expected)}
	for r.Common < min(len(actual), len(expected)) && actual[r.Common] == expected[r.Common] {
		r.Common++
	}
	r.Differs = r.Edits > 0
	r.Actual = actual[r.Common:min(len(actual), r.Common+shown)]
	r.Expected = expected[r.Common:min(len(expected), r.Common+shown)]
	return r, nil
}

// EditDistance is the least number of insertions, deletions and replacements that make one
// sequence of the other: Levenshtein's.
func EditDistance[T comparable](x, y []T) int {
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			replaced := diagonal
			if x[i] != y[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
