package openvino

import "github.com/modelparity/modelparity/backends"

var _ backends.ThreadsEngine = engine{}

// WithThreads is the engine with so many threads.
func (e engine) WithThreads(n int) (backends.Engine, error) {
	return engine{e.With(Threads(n))}, nil
}
