package trt

import (
	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/tensor"
)

var (
	_ backends.ProfiledEngine = engine{}
	_ backends.LevelsEngine   = engine{}
)

// Profile is the optimization profile that runs, where the options state one.
func (e engine) Profile() (backends.Profile, bool, error) {
	s, err := e.Settings()
	if err != nil || s.Profile < 0 || s.Profile >= len(s.Profiles) {
		return backends.Profile{}, false, err
	}
	p := backends.Profile{Min: map[string]tensor.Shape{}, Opt: map[string]tensor.Shape{},
		Max: map[string]tensor.Shape{}}
	for _, r := range s.Profiles[s.Profile] {
		if r.Values {
			continue
		}
		p.Min[r.Input], p.Opt[r.Input], p.Max[r.Input] = narrow(r.Min), narrow(r.Opt), narrow(r.Max)
	}
	return p, true, nil
}

// Levels is the engine at each level of the builder's optimisation.
func (e engine) Levels() ([]backends.Engine, error) {
	var list []backends.Engine
	for level := range 6 {
		list = append(list, engine{List: e.With(OptimizationLevel(level)), whole: e.whole})
	}
	return list, nil
}
