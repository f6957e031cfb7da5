package decode

import "context"

type watchKey struct{}

// Watch has seen told after each step how many tokens of a batch's sequences are done, of how many:
// for a progress bar.
func Watch(ctx context.Context, seen func(done, all int)) context.Context {
	return context.WithValue(ctx, watchKey{}, seen)
}

// watched tells whoever watches.
func (d *drive) watched(ctx context.Context) {
	if seen, ok := ctx.Value(watchKey{}).(func(done, all int)); ok {
		seen(d.past, d.total)
	}
}
