package noise

import "fmt"

// Option configures [Measure] and [Of].
type Option func(*settingsOf)

// settingsOf collects the options.
type settingsOf struct {
	runs int
	seed int64
	dir  string
}

// Runs sets how many runs are measured. The default is 8, the minimum 4. More runs allow lower
// bars.
func Runs(n int) Option { return func(s *settingsOf) { s.runs = n } }

// Seed selects the directions in which numbers move. The default is 1; equal seeds give equal
// moves.
func Seed(seed int64) Option { return func(s *settingsOf) { s.seed = seed } }

// CacheIn sets the folder in which [Of] caches noise, overriding [CacheVariable].
func CacheIn(dir string) Option { return func(s *settingsOf) { s.dir = dir } }

const leastRuns = 4

func optionsOf(options []Option) (settingsOf, error) {
	s := settingsOf{runs: 8, seed: 1}
	for _, o := range options {
		o(&s)
	}
	if s.runs < leastRuns {
		return s, fmt.Errorf("noise: Runs(%d): a spread needs %d runs or more", s.runs, leastRuns)
	}
	return s, nil
}
