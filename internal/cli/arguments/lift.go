package arguments

import "strings"

// Taker is a part of a request whose flags are set by name.
type Taker interface {
	Set(flag string, words ...string) error
}

// Taken returns flags, described as in [Spelled], that call the method Set of a [Taker].
func Taken(by Taker, usages ...string) []Flag {
	var list []Flag
	for _, usage := range usages {
		name, _, _ := strings.Cut(strings.Fields(usage)[0], ",")
		list = append(list, Spelled(usage, func(words []string) error {
			return by.Set(name, words...)
		}))
	}
	return list
}

// Answered returns unsupported flags whose error is answer.
func Answered(answer string, names ...string) []Flag {
	var list []Flag
	for _, name := range names {
		list = append(list, Flag{Name: name, Arity: Any, Answer: answer})
	}
	return list
}
