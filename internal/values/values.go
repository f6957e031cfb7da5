// Package values parses the values of command-line flags, most of them in Polygraphy's notations:
// [OUTPUT:]NUMBER, NAME:[SHAPE], [LOW,HIGH], and a choice of words.
package values

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Named is a value for the output or input called Name. If Name is "", the value applies to all
// outputs or inputs without a value of their own.
type Named[V any] struct {
	Name  string
	Value V
}

// Split splits "logits:1e-3" at its last colon, as Polygraphy does, because names of tensors may
// contain colons. If there is no colon, Name is "".
func Split(text string) Named[string] {
	colon := strings.LastIndexByte(text, ':')
	if colon < 0 {
		return Named[string]{Value: text}
	}
	return Named[string]{Name: text[:colon], Value: text[colon+1:]}
}

// Number parses [NAME:]NUMBER. NUMBER may also be inf or -inf.
func Number(text string) (Named[float64], error) {
	split := Split(text)
	number, err := strconv.ParseFloat(split.Value, 64)
	if err != nil {
		return Named[float64]{}, fmt.Errorf("%q is not a number; write 1e-5, or logits:1e-5 for "+
			"the output logits%s", split.Value, misplaced(text))
	}
	return Named[float64]{split.Name, number}, nil
}

// Integer parses [NAME:]INTEGER.
func Integer(text string) (Named[int], error) {
	split := Split(text)
	number, err := strconv.Atoi(split.Value)
	if err != nil {
		return Named[int]{}, fmt.Errorf("%q is not an integer%s", split.Value, misplaced(text))
	}
	return Named[int]{split.Name, number}, nil
}

// Shape parses NAME:[2,3,224,224]. The shape of a scalar is [].
func Shape(text string) (Named[[]int], error) {
	list, err := List(text, "a shape; write image:[1,3,224,224]")
	if err != nil {
		return Named[[]int]{}, err
	}
	if list.Name == "" {
		return Named[[]int]{}, fmt.Errorf("%q does not name an input; write INPUT:%[1]s with the "+
			"input's name", text)
	}
	shape := Named[[]int]{list.Name, make([]int, len(list.Value))}
	for i, element := range list.Value {
		size, err := strconv.Atoi(element)
		if err != nil || size < 0 {
			return Named[[]int]{}, fmt.Errorf("%q has the dimension %q, which is not a size%s",
				text, element, misplaced(text))
		}
		shape.Value[i] = size
	}
	return shape, nil
}

// Range parses [NAME:][LOW,HIGH].
func Range(text string) (Named[[2]float64], error) {
	list, err := List(text, "a range; write [-1,1], or image:[0,255] for the input image")
	if err != nil {
		return Named[[2]float64]{}, err
	}
	if len(list.Value) != 2 {
		return Named[[2]float64]{}, fmt.Errorf("%q has %d numbers, but a range has 2: [LOW,HIGH]",
			text, len(list.Value))
	}
	bounds := Named[[2]float64]{Name: list.Name}
	for i, element := range list.Value {
		if bounds.Value[i], err = strconv.ParseFloat(element, 64); err != nil {
			return Named[[2]float64]{}, fmt.Errorf("%q contains %q, which is not a number",
				text, element)
		}
	}
	return bounds, nil
}

// List parses a list in brackets, or in parentheses as Python prints a tuple. A name and a colon
// may precede it: "[a,b]", "(a,b)", "NAME:[a,b]". wanted describes the expected text, for the
// error.
func List(text, wanted string) (Named[[]string], error) {
	brackets := "[]"
	if strings.HasSuffix(text, ")") {
		brackets = "()"
	}
	open := strings.LastIndexByte(text, brackets[0])
	if open < 0 || !strings.HasSuffix(text, brackets[1:]) || open > 0 && text[open-1] != ':' {
		return Named[[]string]{}, fmt.Errorf("%q is not %s%s", text, wanted, misplaced(text))
	}
	named := Named[[]string]{Name: strings.TrimSuffix(text[:open], ":")}
	inner := strings.TrimSpace(text[open+1 : len(text)-1])
	if brackets == "()" {
		inner = strings.TrimSuffix(inner, ",") // a tuple of one is (3,)
	}
	if inner == "" {
		return named, nil
	}
	for element := range strings.SplitSeq(inner, ",") {
		named.Value = append(named.Value, strings.TrimSpace(element))
	}
	return named, nil
}

// misplaced returns a hint for the error if the text looks like a file name, and otherwise "". A
// file name that follows a flag with several values is read as one of the values.
func misplaced(text string) string {
	for _, end := range []string{".onnx", ".json", ".npz", ".npy", ".pb", ".engine", ".plan"} {
		if strings.HasSuffix(text, end) {
			return "; files come before the flags, or after --"
		}
	}
	return ""
}

// Marked returns the tensors to mark as outputs. Polygraphy's "mark all", as one word or two, means
// every tensor.
func Marked(words []string) []string {
	if strings.Join(words, " ") == "mark all" {
		return []string{"*"}
	}
	return words
}

// Count parses an integer that must be at least minimum.
func Count(text string, minimum int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < minimum {
		return 0, fmt.Errorf("%q is not a whole number of at least %d", text, minimum)
	}
	return n, nil
}

// Choice returns an error if word is not one of the known words.
func Choice(word string, known ...string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return fmt.Errorf("unknown value %q: want %s", word, strings.Join(known, ", "))
}

// Size parses a number of bytes, which may end in K, M or G (powers of 1024).
func Size(text string) (int64, error) {
	digits, unit := text, int64(1)
	if n := len(text); n > 0 {
		if shift, ok := map[byte]uint{'K': 10, 'M': 20, 'G': 30}[text[n-1]&^0x20]; ok {
			digits, unit = text[:n-1], 1<<shift
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(n >= 0) || n*float64(unit) >= 1<<62 {
		return 0, fmt.Errorf("%q is not a size; write 512M, 1G or a number of bytes", text)
	}
	return int64(n * float64(unit)), nil
}

// Duration parses a number of seconds, such as 0.5, or a duration with a unit, such as 500ms or 5m.
func Duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if seconds, wrong := strconv.ParseFloat(text, 64); wrong == nil {
		d, err = time.ParseDuration(strconv.FormatFloat(seconds, 'f', -1, 64) + "s")
		if d == 0 && seconds > 0 {
			d = 1 // 0 would mean no limit
		}
	}
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration of 0 or more; write seconds, such as 0.5 or 300, or "+
			"a unit, such as 5m", text)
	}
	return d, nil
}
