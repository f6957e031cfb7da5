package backends

import "io"

// LoggingEngine is an engine that keeps a log of its work.
type LoggingEngine interface {
	Engine

	// Logged is the engine that writes its log to w: what it does, or every detail of it.
	Logged(w io.Writer, verbose bool) Engine
}

// Logged is the engine that writes its log to w, or e itself if it keeps none.
func Logged(e Engine, w io.Writer, verbose bool) Engine {
	if l, ok := e.(LoggingEngine); ok {
		return l.Logged(w, verbose)
	}
	return e
}
