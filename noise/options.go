package noise

import "fmt"

// Option is an option of [Measure] and [Of].
type Option func(*settingsOf)

// settingsOf are the options' values.
type settingsOf struct {
	runs int
	seed int64
	dir  string
}

// Runs is how many runs the spread is taken from. The default is 8, the least is 4: more runs let
// the bars be lower.
func Runs(n int) Option { return func(s *settingsOf) { s.runs = n } }

// Seed chooses which way each number moves. The default is 1; equal seeds move alike.
func Seed(seed int64) Option { return func(s *settingsOf) { s.seed = seed } }

// CacheIn keeps what [Of] measured in a folder, instead of that of [CacheVariable], or else
// modelparity/noise in the user's cache.
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
