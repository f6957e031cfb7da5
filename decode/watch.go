package decode

import "context"

type watchKey struct{}

// Watch returns a context for runs that report their progress: after each step, they call seen with
// the number of tokens fed so far and the total number.
func Watch(ctx context.Context, seen func(done, all int)) context.Context {
	return context.WithValue(ctx, watchKey{}, seen)
}

// report calls the function given to [Watch].
func (d *drive) report(ctx context.Context) {
	if seen, ok := ctx.Value(watchKey{}).(func(done, all int)); ok {
		seen(d.past, d.total)
	}
}
