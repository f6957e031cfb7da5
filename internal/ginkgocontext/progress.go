// Package ginkgocontext finds Ginkgo's SpecContext in a context. It does not import Ginkgo, because
// a library should not import the test framework of its users.
package ginkgocontext

import "context"

// reporter is the part of Ginkgo's SpecContext that attaches progress reporters.
type reporter interface {
	AttachProgressReporter(func() string) func()
}

// Attach adds a text to the progress reports of the spec that ctx belongs to; Ginkgo calls the
// function text to get it. If ctx belongs to no spec, Attach does nothing. Ginkgo prints progress
// reports on SIGINFO, SIGUSR1, --poll-progress-after and when a spec is interrupted. Call detach
// when the work is done. text must be safe to call from other goroutines.
func Attach(ctx context.Context, text func() string) (detach func()) {
	spec, ok := ctx.(reporter)
	if !ok { // a context derived from a SpecContext carries it as a value
		spec, ok = ctx.Value("GINKGO_SPEC_CONTEXT").(reporter)
	}
	if !ok {
		return func() {}
	}
	return spec.AttachProgressReporter(text)
}
