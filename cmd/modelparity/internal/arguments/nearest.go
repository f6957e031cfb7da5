package arguments

// suggestion is "; did you mean --atol?" for a name that is close to a flag's, and "" for one that
// is close to none.
func suggestion[R any](name string, flags []Flag[R]) string {
	best, least := "", len(name)/3+1 // a third of the letters may be wrong
	for _, flag := range flags {
		for _, spelling := range append([]string{flag.Name}, flag.Also...) {
			if d := distance(name, spelling); d < least {
				best, least = spelling, d
			}
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance is Levenshtein's: how many bytes to insert, to delete or to replace to get from a to b.
// It fills the usual table row by row; row[j] is the distance of a[:i] and b[:j].
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
