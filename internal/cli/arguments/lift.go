package arguments

import "strings"

// Lift turns flags for a part of a request into flags for the whole request.
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

// Taker is a part of a request whose flags are set by name.
type Taker[P any] interface {
	*P
	Set(flag string, words ...string) error
}

// Taken returns flags, described as in [Spelled], that call the method Set of a [Taker].
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

// Answered returns unsupported flags whose error is answer.
func Answered[R any](answer string, names ...string) []Flag[R] {
	var list []Flag[R]
	for _, name := range names {
		list = append(list, Flag[R]{Name: name, Arity: Any, Answer: answer})
	}
	return list
}
