package names

// Nearest returns the candidate whose spelling is closest to name, or the first of several equally
// close ones. It returns "" if turning name into any of them would change more than a third of its
// letters.
func Nearest(name string, candidates ...string) string {
	best, least := "", len(name)/3+1
	for _, candidate := range candidates {
		if d := Distance([]byte(name), []byte(candidate)); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// Distance returns the Levenshtein distance: the number of elements to insert, delete or replace to
// turn a into b. It computes the usual table row by row; row[j] is the distance between a[:i] and
// b[:j].
func Distance[T comparable](a, b []T) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
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
