package decode

import "context"

type watchKey struct{}

// Watch returns a context with which runs report their progress: they call seen after each step,
// with the number of tokens done and the total number.
func Watch(ctx context.Context, seen func(done, all int)) context.Context {
	return context.WithValue(ctx, watchKey{}, seen)
}

// report calls the function given to [Watch].
func (d *drive) report(ctx context.Context) {
	if seen, ok := ctx.Value(watchKey{}).(func(done, all int)); ok {
		seen(d.past, d.total)
	}
}
