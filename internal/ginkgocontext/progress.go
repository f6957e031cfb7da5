// Package ginkgocontext finds Ginkgo in a context. A library does not import the test framework of
// its users, so only the shape of its SpecContext is named here.
package ginkgocontext

import "context"

// reporter is Ginkgo's SpecContext, as far as progress needs it.
type reporter interface {
	AttachProgressReporter(func() string) func()
}

// Attach makes what says how far the work is part of the progress reports of the spec that ctx
// belongs to, if any: Ginkgo prints them on SIGINFO, SIGUSR1, --poll-progress-after and when a spec
// is interrupted. The caller detaches it when the work is over. text is called from other
// goroutines.
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
