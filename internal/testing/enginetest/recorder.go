package enginetest

import "fmt"

// Recorder records how a spec of backendtest ends.
type Recorder struct{ Failed, Skipped string }

// ended is the panic that stops the spec.
type ended struct{}

// Helper does nothing.
func (*Recorder) Helper() {}

// Fatalf stops the spec as failed.
func (r *Recorder) Fatalf(format string, args ...any) {
	r.Failed = fmt.Sprintf(format, args...)
	panic(ended{})
}

// Skipf stops the spec as skipped.
func (r *Recorder) Skipf(format string, args ...any) {
	r.Skipped = fmt.Sprintf(format, args...)
	panic(ended{})
}

// Record runs a spec and returns how it ended; the zero value means that it passed.
func Record(spec func(t *Recorder)) (r Recorder) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(ended); !ok {
				panic(p)
			}
		}
	}()
	spec(&r)
	return r
}
