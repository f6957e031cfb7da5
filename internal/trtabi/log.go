package trtabi

import "sync"

// Severity is the severity of a message in TensorRT's log.
type Severity int32

// The severities, most severe first.
const (
	InternalError Severity = iota
	Error
	Warning
	Info
	Verbose
)

// String returns the letter that TensorRT's own tools print for the severity.
func (s Severity) String() string {
	const letters = "FEWIV"
	if s < 0 || int(s) >= len(letters) {
		return "?"
	}
	return letters[s : s+1]
}

// Log passes the messages of TensorRT's log to listeners. TensorRT has one logger per process and
// ignores all others, so a listener also receives the messages of concurrent builds. Log is safe
// for concurrent use, because TensorRT logs from its own threads.
type Log struct {
	mu        sync.Mutex
	listeners map[*func(Severity, string)]struct{}
}

// Listen calls f with every message until stop is called.
func (l *Log) Listen(f func(Severity, string)) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listeners == nil {
		l.listeners = map[*func(Severity, string)]struct{}{}
	}
	l.listeners[&f] = struct{}{}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.listeners, &f)
	}
}

func (l *Log) write(severity Severity, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for f := range l.listeners {
		(*f)(severity, text)
	}
}
