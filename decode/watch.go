package decode

import "context"

type watchKey struct{}

// Watch returns a context for following the progress of a run: after each step, the run calls seen
// with the number of tokens fed so far and the total number.
func Watch(ctx context.Context, seen func(done, all int)) context.Context {
	return context.WithValue(ctx, watchKey{}, seen)
}

// report calls the function given to [Watch].
func (d *drive) report(ctx context.Context) {
	if seen, ok := ctx.Value(watchKey{}).(func(done, all int)); ok {
		seen(d.past, d.total)
	}
}
