package decisions

import "github.com/modelparity/modelparity/tensor"

// KendallTau is Kendall's τ-b of two lists.
var KendallTau = kendallTau

// LossBound is the bound on a loss of accuracy.
var LossBound = lossBound

// MatchBoxes matches the boxes of one image.
var MatchBoxes = matchBoxes

// Images returns the detections of each image.
func (l Layout) Images(outputs *tensor.Set, least float64) ([][]Detection, error) {
	if err := l.validate(); err != nil {
		return nil, err
	}
	return l.images(outputs, least)
}

// Silent is a rule that never calls decide.
type Silent struct {
	Unit    string
	Allowed float64
	Limited bool
}

func (Silent) text() string    { return "silence" }
func (Silent) validate() error { return nil }

func (r Silent) judge(_, _ []*tensor.Set, f *Findings) error {
	f.Unit, f.Allowed, f.Decisions = r.Unit, r.Allowed, 3
	if r.Limited {
		f.Measures = append(f.Measures, Measure{Name: "x", Limit: 1, AtMost: true})
	}
	return nil
}
