// Package option defines the shape that the options of every engine share. An [Option] prints
// itself as the Go call that makes it and changes settings, which are plain data; a [List] is what
// options add up to: a value that can be compared by ==, printed as text and as Go, and read back.
//
// A package declares its option type as an alias, writes one catalogue file of constructors, and
// embeds a list in its engine:
//
//	type Option = option.Option[settings]
//
//	func Threads(n int) Option {
//		return option.New(option.Call("ort.Threads", n), func(s *settings) error { … })
//	}
//
//	type engine struct{ option.List[settings] }
package option

import (
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
	left  bool // it has no Go form, and neither has what it sets a text
	apply func(*S) error
	parts []Option[S] // of [Join]
}

// New is an option that is made by call. Its error names what was expected and the remedy; the call
// is put in front of it.
//
// Options that lead to equal settings have to print equal calls, so that equal engines are equal
// by ==: one that adds several things is a [Join] of options that add one thing each, and one that
// is short for another prints that one.
func New[S any](call Invocation, apply func(*S) error) Option[S] {
	return Option[S]{call: call, apply: apply}
}

// LeftOut is an option whose argument has no Go form, such as a writer or a function, or must not
// be printed, such as a password. It is named in a comment: name is the call ("trt.Log"), and
// argument says what is left out ("a writer"). The settings of a list that has such an option are
// kept as they are, next to their text.
func LeftOut[S any](name, argument string, apply func(*S) error) Option[S] {
	return Option[S]{call: Invocation{name: name, text: argument, code: argument}, left: true,
		apply: apply}
}

// Join is several options as one. It prints as them.
func Join[S any](options ...Option[S]) Option[S] { return Option[S]{parts: options} }

// print returns the call that makes the option, a comment where it has no Go form, and the option
// for people: "Threads(2)", "FP16". Joined options are separated by commas, as arguments.
func (o Option[S]) print() (source, text string) {
	all := atoms(nil, o)
	return code(all), strings.Join(words(all), ", ")
}

// untold reports whether the source of the option does not say all of it.
func (o Option[S]) untold() bool {
	return o.left || o.call.untold || slices.ContainsFunc(o.parts, Option[S].untold)
}

// atoms appends the options that o joins, or o itself.
func atoms[S any](list []Option[S], o Option[S]) []Option[S] {
	for _, part := range o.parts {
		list = atoms(list, part)
	}
	if o.apply != nil {
		list = append(list, o)
	}
	return list
}

// set applies the option.
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

// Comment begins the comment that names what has no Go form.
const Comment = "/* left out: "

// code is the options as arguments of a call, with a comment for those that have no Go form.
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

// Invocation is a call as Go source and for people. Make it with [Call].
type Invocation struct {
	name, code, text string // the arguments, in Go and for people
	untold           bool   // an argument has no Go form
	wrong            error
}

// Argument is an argument of [Call] with its own form in Go and for people, such as an enumerator.
type Argument struct{ Text, Code string }

func (a Argument) print() (source, text string) { return a.Code, a.Text }

// Enum is an enumerator as an argument: its constant in Go, or a conversion if it has none.
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

// Call is the invocation of a function ("ort.Threads") with arguments. Strings, numbers and
// durations print as Go source, as do an [Argument], other options, and what has a GoString. A
// string that is not UTF-8 makes the option an error, since no text could hold it.
func Call(name string, args ...any) Invocation {
	c := Invocation{name: name}
	var codes, words, comments []string
	for _, arg := range args {
		if o, ok := arg.(interface{ untold() bool }); ok && o.untold() {
			c.untold = true
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

// Args is a list of variadic arguments for [Call], after those before it.
func Args[T any](list []T, before ...any) []any {
	for _, v := range list {
		before = append(before, v)
	}
	return before
}

// GoString is the call as Go source: ort.Threads(2).
func (c Invocation) GoString() string { return c.name + "(" + c.code + ")" }

// String is the call for people: Threads(2), and FP16 for trt.FP16().
func (c Invocation) String() string {
	_, name, _ := strings.Cut(c.name, ".")
	if c.text == "" {
		return name
	}
	return name + "(" + c.text + ")"
}
