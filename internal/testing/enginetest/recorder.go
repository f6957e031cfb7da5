package enginetest

import "fmt"

// Recorder is a test that records how a spec of package backendtest ends.
type Recorder struct{ Failed, Skipped string }

// ended is the value that Fatalf and Skipf panic with to stop the spec.
type ended struct{}

// Helper does nothing.
func (*Recorder) Helper() {}

// Fatalf records a failure and stops the spec.
func (r *Recorder) Fatalf(format string, args ...any) {
	r.Failed = fmt.Sprintf(format, args...)
	panic(ended{})
}

// Skipf records that the spec is skipped and stops the spec.
func (r *Recorder) Skipf(format string, args ...any) {
	r.Skipped = fmt.Sprintf(format, args...)
	panic(ended{})
}

// Record runs a spec and returns how it ended. The zero value means that the spec passed.
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
