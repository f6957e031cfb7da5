package isolated

import "github.com/modelparity/modelparity/backends"

var (
	_ backends.ThreadsEngine  = engine{}
	_ backends.LevelsEngine   = engine{}
	_ backends.ProfiledEngine = engine{}
	_ backends.StreamsEngine  = engine{}
)

// WithThreads is the engine with so many threads, in a process of its own.
func (e engine) WithThreads(n int) (backends.Engine, error) {
	of, err := backends.WithThreads(e.of, n)
	if err != nil {
		return nil, err
	}
	return e.around(of), nil
}

// Levels is the engine at each of its levels, each in a process of its own.
func (e engine) Levels() ([]backends.Engine, error) {
	all, err := backends.Levels(e.of)
	if err != nil {
		return nil, err
	}
	for i, of := range all {
		all[i] = e.around(of)
	}
	return all, nil
}

// Profile is that of the engine.
func (e engine) Profile() (backends.Profile, bool, error) { return backends.ProfileOf(e.of) }

// WithStreams is the engine whose runs take turns among n streams, in a process of its own.
func (e engine) WithStreams(n int) (backends.Engine, bool, error) {
	of, ok, err := backends.WithStreams(e.of, n)
	if !ok || err != nil {
		return nil, false, err
	}
	return e.around(of), true, nil
}

// around is another engine in a process of the same kind.
func (e engine) around(of backends.Engine) backends.Engine {
	e.of = of
	return wrapped(e)
}

func (engine) isolated() {}
