package names

// Nearest returns the candidate whose spelling is closest to name; with ties, the first. It returns
// "" if, in every candidate, more than a third of the letters differ.
func Nearest(name string, candidates ...string) string {
	best, least := "", len(name)/3+1
	for _, candidate := range candidates {
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance returns the Levenshtein distance: the number of bytes to insert, delete or replace to
// turn a into b. It computes the usual table row by row; row[j] is the distance between a[:i] and
// b[:j].
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
