// Package option implements the options of all engines. An [Option] changes settings, which are
// plain data, and prints itself as the Go call that creates it. A [List] holds the result of
// several options: a value that can be compared with ==, printed as text and as Go source, and read
// back from its text.
//
// A package declares its option type as an alias, writes one file with the constructors of all
// options, and embeds a List in its engine:
//
//	type Option = option.Option[settings]
//
//	func Threads(n int) Option {
//		return option.Field(option.Call("ort.Threads", n), n,
//			func(s *settings) *int { return &s.Threads },
//			option.Refuse(n < 0, "the number of threads must be 0 or more"))
//	}
//
//	type engine struct{ option.List[settings] }
package option

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Option is one option for settings of type S. The zero Option changes nothing.
type Option[S any] struct {
	call  Invocation
	left  bool // it cannot be written as Go or as text
	apply func(*S) error
	parts []Option[S] // the options that Join combined
}

// New returns the option that the given call creates. The function apply applies the option to the
// settings. An error of apply says what was expected and how to fix the option; the option puts the
// call in front of that error.
//
// Engines are compared with == by the calls of their options, so options with the same effect must
// have the same call. An option that adds several things is therefore a [Join] of options that each
// add one thing. The call of a shorthand is the call of the option that it abbreviates.
func New[S any](call Invocation, apply func(*S) error) Option[S] {
	return Option[S]{call: call, apply: apply}
}

// Field returns an option that sets one field of the settings to value. Applying the option fails
// if wrong contains an error other than nil; see [Refuse].
func Field[S, T any](call Invocation, value T, field func(*S) *T, wrong ...error) Option[S] {
	return New(call, func(s *S) error {
		*field(s) = value
		return errors.Join(wrong...)
	})
}

// Refuse returns an error with the formatted text if refused is true, and otherwise nil.
func Refuse(refused bool, format string, args ...any) error {
	if !refused {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// LeftOut returns an option whose argument cannot be written as Go source, such as a writer or a
// function, or must not be printed, such as a password. A comment in the source names the option:
// name is the call ("trt.Log"), and argument says what is left out ("a writer"). Such an option
// cannot be made again from its text, so a list also keeps the option itself.
func LeftOut[S any](name, argument string, apply func(*S) error) Option[S] {
	return Option[S]{call: Invocation{name: name, text: argument, code: argument}, left: true,
		apply: apply}
}

// Join combines several options into one option, which prints as all of them.
func Join[S any](options ...Option[S]) Option[S] { return Option[S]{parts: options} }

// print returns the option as Go source and in readable form, such as "Threads(2)" or "FP16". In
// the source, a comment stands for each part that cannot be written as Go. Commas separate joined
// options.
func (o Option[S]) print() (source, text string) {
	all := atoms(nil, o)
	return code(all), strings.Join(words(all), ", ")
}

// incomplete reports whether a part of the option cannot be written as Go source.
func (o Option[S]) incomplete() bool {
	return o.left || o.call.incomplete || slices.ContainsFunc(o.parts, Option[S].incomplete)
}

// atoms appends to list the options that o joins, or o itself if it is not a Join.
func atoms[S any](list []Option[S], o Option[S]) []Option[S] {
	for _, part := range o.parts {
		list = atoms(list, part)
	}
	if o.apply != nil {
		list = append(list, o)
	}
	return list
}

func (o Option[S]) set(s *S) error {
	err := o.call.wrong
	if err == nil {
		err = o.apply(s)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.call.GoString(), err)
	}
	return nil
}

// Comment is the beginning of the comment that names the options left out of the source.
const Comment = "/* left out: "

// code returns the options as the arguments of a call in Go source. A comment names the options
// that cannot be written as Go.
func code[S any](options []Option[S]) string {
	var args, left []string
	for _, o := range options {
		if text := o.call.GoString(); o.left {
			left = append(left, strings.ReplaceAll(text, "*/", "* /"))
		} else {
			args = append(args, text)
		}
	}
	text := strings.Join(args, ", ")
	if len(left) > 0 {
		text += " " + Comment + strings.Join(left, ", ") + " */"
	}
	return strings.TrimSpace(text)
}

// Invocation is a call, both as Go source and in readable form. Create it with [Call].
type Invocation struct {
	name, code, text string // the arguments, as Go source and in readable form
	incomplete       bool   // an argument cannot be written as Go
	wrong            error
}

// Argument is an argument for [Call], such as an enum value, that is written differently for
// readers and in Go source.
type Argument struct{ Text, Code string }

func (a Argument) print() (source, text string) { return a.Code, a.Text }

// Enum returns an enum value as an argument. constant is its name in Go source. If constant is "",
// the source is a conversion of the value to the type.
func Enum[E ~string](e E, constant string) Argument {
	if constant == "" {
		constant = fmt.Sprintf("%T(%q)", e, string(e))
	}
	return Argument{Text: string(e), Code: constant}
}

// duration returns a duration as Go source.
func duration(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Minute, "time.Minute"}, {time.Second, "time.Second"},
		{time.Millisecond, "time.Millisecond"}} {
		if n := d / unit.of; n != 0 && d%unit.of == 0 {
			return strconv.FormatInt(int64(n), 10) + " * " + unit.name
		}
	}
	return strconv.FormatInt(int64(d), 10)
}

// Call returns the call of a function ("ort.Threads") with arguments. An argument can be a string,
// a number, a duration, an [Argument], an option, or a value with a GoString method. Options are
// also stored as text, so a string must be valid UTF-8. An option whose call contains an invalid
// string returns an error when it is applied.
func Call(name string, args ...any) Invocation {
	c := Invocation{name: name}
	var codes, words, comments []string
	for _, arg := range args {
		if o, ok := arg.(interface{ incomplete() bool }); ok && o.incomplete() {
			c.incomplete = true
		}
		if text, ok := arg.(string); ok && !utf8.ValidString(text) {
			c.wrong = fmt.Errorf("%q is not valid UTF-8", text)
		}
		code, text := fmt.Sprintf("%#v", arg), fmt.Sprint(arg)
		switch arg := arg.(type) {
		case interface{ print() (string, string) }:
			code, text = arg.print()
		case time.Duration:
			code = duration(arg)
		}
		switch {
		case code == "": // the zero option
			continue
		case strings.HasPrefix(code, "/*"):
			comments = append(comments, " "+code)
		default:
			codes = append(codes, code)
		}
		words = append(words, text)
	}
	c.code = strings.TrimSpace(strings.Join(codes, ", ") + strings.Join(comments, ""))
	c.text = strings.Join(words, ", ")
	return c
}

// Args returns the arguments for a [Call] of a variadic function: the values of before, followed by
// the elements of list.
func Args[T any](list []T, before ...any) []any {
	for _, v := range list {
		before = append(before, v)
	}
	return before
}

// GoString returns the call as Go source: ort.Threads(2).
func (c Invocation) GoString() string { return c.name + "(" + c.code + ")" }

// String returns the call in readable form: Threads(2), and FP16 for trt.FP16().
func (c Invocation) String() string {
	_, name, _ := strings.Cut(c.name, ".")
	if c.text == "" {
		return name
	}
	return name + "(" + c.text + ")"
}
