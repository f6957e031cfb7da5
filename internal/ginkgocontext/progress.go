// Package ginkgocontext finds Ginkgo's SpecContext in a context. It does not import Ginkgo, because
// a library should not import the test framework of its users.
package ginkgocontext

import "context"

// reporter is the part of Ginkgo's SpecContext that attaches progress reporters.
type reporter interface {
	AttachProgressReporter(func() string) func()
}

// Attach lets describe add a text to the progress reports of the spec that ctx belongs to. Ginkgo
// prints these reports on SIGINFO, on SIGUSR1, after --poll-progress-after and when it interrupts a
// spec. It may call describe from any goroutine. Call detach when the work is done. If ctx belongs
// to no spec, Attach does nothing.
func Attach(ctx context.Context, describe func() string) (detach func()) {
	spec, ok := ctx.(reporter)
	if !ok { // a context derived from a SpecContext carries it as a value
		spec, ok = ctx.Value("GINKGO_SPEC_CONTEXT").(reporter)
	}
	if !ok {
		return func() {}
	}
	return spec.AttachProgressReporter(describe)
}
