// Package ginkgocontext finds Ginkgo's SpecContext in a context, without importing Ginkgo, because
// a library should not import its users' test framework.
package ginkgocontext

import "context"

// reporter is the part of Ginkgo's SpecContext that reports progress.
type reporter interface {
	AttachProgressReporter(func() string) func()
}

// Attach adds text's result to the progress reports of the spec that ctx belongs to, if any. Ginkgo
// prints them on SIGINFO, SIGUSR1, --poll-progress-after and when a spec is interrupted. The caller
// must call detach when the work is over. text is called from other goroutines.
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
