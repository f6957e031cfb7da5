package arguments

import "strings"

// Lift makes the flags of a part of a request flags of the whole request.
func Lift[R, P any](part func(*R) *P, flags []Flag[P]) []Flag[R] {
	list := make([]Flag[R], len(flags))
	for i, f := range flags {
		list[i] = Flag[R]{Name: f.Name, Also: f.Also, Arity: f.Arity, Value: f.Value, Text: f.Text,
			Fill: f.Fill, File: f.File, Repeats: f.Repeats, Shared: f.Shared, Needs: f.Needs,
			Answer: f.Answer}
		if f.Apply != nil {
			list[i].Apply = func(r *R, words []string) error { return f.Apply(part(r), words) }
		}
	}
	return list
}

// Taker takes flags by their names, with the words behind them.
type Taker[P any] interface {
	*P
	Set(flag string, words ...string) error
}

// Taken is flags that a part of a request takes by their names.
func Taken[P any, T Taker[P]](usages ...string) []Flag[P] {
	var list []Flag[P]
	for _, usage := range usages {
		name, _, _ := strings.Cut(strings.Fields(usage)[0], ",")
		list = append(list, Spelled(usage, func(p *P, words []string) error {
			return T(p).Set(name, words...)
		}))
	}
	return list
}

// Answered is flags that are known and cannot be had, with what to write in their place.
func Answered[R any](answer string, names ...string) []Flag[R] {
	var list []Flag[R]
	for _, name := range names {
		list = append(list, Flag[R]{Name: name, Arity: Any, Answer: answer})
	}
	return list
}
