package names

// Nearest returns the first of the candidates with the spelling closest to name, or "" if more than
// a third of the letters differ in all of them.
func Nearest(name string, candidates ...string) string {
	best, least := "", len(name)/3+1
	for _, candidate := range candidates {
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance is the Levenshtein distance: the number of bytes to insert, delete or replace to turn a
// into b. It fills the usual table row by row; row[j] is the distance of a[:i] and b[:j].
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
