package option

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kind describes the options of one engine. All lists of these options share it.
type Kind[S any] struct {
	Package string // the Go package: "ort"
	Name    string // the engine's name for people: "onnxruntime"

	// Defaults returns the settings of an engine without options.
	Defaults func() S
	// Check checks the settings as a whole after all options have been applied, and may complete
	// them. It is not called if an option itself is wrong. If Check is nil, all settings are
	// accepted.
	Check func(*S) error
}

// List contains the settings that result from options. Lists of the same options are equal when
// compared with ==. Options that set a default value make no difference. Neither does the order of
// options, unless it affects the settings. A list with an option that has no text ([LeftOut])
// equals only its own copies.
//
// The settings are marshalled as JSON. If encoding/json omits a value, as "omitempty" does, that
// value must be the default.
type List[S any] struct {
	kind  *Kind[S]
	text  string // the settings that differ from the defaults, as a JSON object
	code  string // the options as arguments in Go source
	words string
	wrong string       // all errors in the options, one per line
	given *[]Option[S] // the options, if one of them has no text
}

// List returns the list of the given options. It never fails; [List.Settings] returns the errors.
// The list keeps a pointer to k, which should be a package-level variable.
func (k *Kind[S]) List(options ...Option[S]) List[S] {
	list := List[S]{kind: k}
	given := atoms(nil, Join(options...))
	s, err := k.apply(given)
	if err == nil {
		list.text, err = k.encode(s)
	}
	if err != nil {
		list.wrong = err.Error()
	} else {
		given = k.shortest(given, list.text)
	}
	if slices.ContainsFunc(given, Option[S].incomplete) {
		list.given = &given
	}
	list.code, list.words = code(given), strings.Join(words(given), ", ")
	return list
}

// apply applies the options in order. Its error lists all errors, in the same order.
func (k *Kind[S]) apply(options []Option[S]) (*S, error) {
	s := k.Defaults()
	return &s, k.change(&s, options...)
}

// change applies the options to s, and checks the result.
func (k *Kind[S]) change(s *S, options ...Option[S]) error {
	if err := Apply(s, options...); err != nil || k.Check == nil {
		return err
	}
	return k.Check(s)
}

// Apply applies options to settings in order. It is for options that take other options as
// arguments. Its error lists all errors, in the same order.
func Apply[S any](s *S, options ...Option[S]) error {
	var wrong []error
	for _, o := range atoms(nil, Join(options...)) {
		wrong = append(wrong, o.set(s))
	}
	return errors.Join(wrong...)
}

// encode returns the canonical text of settings: a JSON object with sorted keys and without
// defaults.
func (k *Kind[S]) encode(s *S) (string, error) {
	values, err := fields(s)
	if err != nil {
		return "", err
	}
	d, err := k.apply(nil)
	if err != nil {
		return "", err
	}
	usual, err := fields(d)
	if err != nil {
		return "", err
	}
	for name, value := range usual {
		if bytes.Equal(values[name], value) {
			delete(values, name)
		}
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err = e.Encode(values)
	return strings.TrimSpace(text.String()), err
}

// fields returns the fields of a struct as JSON, by name.
func fields(s any) (values map[string]json.RawMessage, err error) {
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	return values, err
}

// shortest returns the options without those that have no effect. It sorts the options
// alphabetically if their order has no effect.
func (k *Kind[S]) shortest(options []Option[S], text string) []Option[S] {
	same := func(other []Option[S]) bool {
		s, err := k.apply(other)
		if err != nil {
			return false
		}
		found, err := k.encode(s)
		return err == nil && found == text
	}
	kept := slices.Clone(options)
	for i := 0; i < len(kept); {
		if without := slices.Delete(slices.Clone(kept), i, i+1); !kept[i].incomplete() && same(without) {
			kept = without
		} else {
			i++
		}
	}
	sorted := slices.Clone(kept)
	slices.SortStableFunc(sorted, func(a, b Option[S]) int {
		return strings.Compare(a.call.GoString(), b.call.GoString())
	})
	if same(sorted) {
		return sorted
	}
	return kept
}

// With returns a list of the options of l followed by the given options. If l already contains an
// invalid option, With returns l unchanged. If a given option is invalid, [List.Settings] of the
// result returns the error.
func (l List[S]) With(options ...Option[S]) List[S] {
	former := l
	s, err := l.Settings()
	if err != nil {
		return l
	}
	more := atoms(nil, Join(options...))
	if err = l.kind.change(s, more...); err == nil {
		l.text, err = l.kind.encode(s)
	}
	if err != nil {
		l.wrong = err.Error()
		return l
	}
	if l.given != nil || slices.ContainsFunc(more, Option[S].incomplete) {
		given := []Option[S]{{apply: func(s *S) error {
			before, err := former.Settings()
			if err == nil {
				*s = *before
			}
			return err
		}}}
		given = append(given, more...)
		l.given = &given
	}
	switch {
	case l.code == "" || strings.HasPrefix(l.code, Comment):
		l.code = strings.TrimSpace(code(more) + " " + l.code)
	default:
		l.code += ", " + code(more)
	}
	l.words = strings.TrimPrefix(l.words+", "+strings.Join(words(more), ", "), ", ")
	return l
}

func words[S any](options []Option[S]) (list []string) {
	for _, o := range options {
		list = append(list, o.call.String())
	}
	return list
}

// Settings returns a copy of the resulting settings, or all errors in the options: one per line, in
// the order of the options.
func (l List[S]) Settings() (*S, error) {
	switch {
	case l.wrong != "":
		return nil, fmt.Errorf("%s: %w", l.kind.Name, errors.New(l.wrong))
	case l.given != nil:
		return l.kind.apply(*l.given)
	}
	return l.kind.Parse(l.text)
}

// Parse decodes settings from their text.
func (k *Kind[S]) Parse(text string) (*S, error) {
	s := k.Defaults()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("%s: options %q: %w", k.Name, text, err)
	}
	if err := k.change(&s); err != nil {
		return nil, fmt.Errorf("%s: %w", k.Name, err)
	}
	return &s, nil
}

// Read returns the list with the given text ([List.Text]). The text contains the settings, but not
// the calls that created the options, so String and GoString of the list print the settings.
func (k *Kind[S]) Read(text string) (List[S], error) {
	settings, ok := strings.CutPrefix(text, k.Package+" ")
	if !ok {
		return List[S]{}, fmt.Errorf("%s: cannot create an engine from the text %q; use the text "+
			"that the original engine's method Text returns", k.Name, text)
	}
	list := List[S]{kind: k, text: settings, words: settings,
		code: Comment + settings + " */"}
	_, err := list.Settings()
	return list, err
}

// Wrong returns the errors in the options, or nil; see [List.Settings].
func (l List[S]) Wrong() error {
	_, err := l.Settings()
	return err
}

// Text returns the engine's canonical text: its package and the settings that differ from the
// defaults, as a JSON object: `ort {"intra":2}`. If the options are wrong, the text contains their
// error instead of the settings.
func (l List[S]) Text() string { return l.kind.Package + " " + cmp.Or(l.wrong, l.text) }

// TextOf is like [List.Text], but for an engine that belongs to one model, such as a plan file.
// kind says what engine it is ("trt plan"), and path is the model's path or URL.
func (l List[S]) TextOf(kind, path string) string {
	return kind + " " + strconv.Quote(path) + " " + cmp.Or(l.wrong, l.text)
}

// ReadOf is the inverse of [List.TextOf]: it returns the path and the list that the text describes.
// kind is the kind that TextOf was called with.
func (k *Kind[S]) ReadOf(kind, text string) (path string, list List[S], err error) {
	rest := strings.TrimPrefix(text, kind+" ")
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return "", list, fmt.Errorf("%s: %q does not contain a quoted path or URL", k.Package, text)
	}
	path, _ = strconv.Unquote(quoted) // QuotedPrefix has checked it
	list, err = k.Read(k.Package + strings.TrimPrefix(rest, quoted))
	return path, list, err
}

// String returns the engine in readable form: "onnxruntime Threads(2)".
func (l List[S]) String() string { return l.StringOf(l.kind.Name) }

// StringOf is like [List.String], but begins with the given name instead of the engine's:
// "process model net.pt2 PyTorch".
func (l List[S]) StringOf(name string) string { return strings.TrimSpace(name + " " + l.words) }

// GoString returns the call of the package's Engine function with the options:
// ort.Engine(ort.Threads(2)).
func (l List[S]) GoString() string { return l.Call("Engine") }

// Call returns Go source that calls the given function of the package. The arguments, which are Go
// source too, come before the options: process.Model("net.pt2", process.PyTorch()).
func (l List[S]) Call(function string, arguments ...string) string {
	if l.code != "" {
		arguments = append(slices.Clone(arguments), l.code)
	}
	return l.kind.Package + "." + function + "(" + strings.Join(arguments, ", ") + ")"
}

// GomegaString returns the engine's Go source, which Gomega prints instead of the engine's fields.
func (l List[S]) GomegaString() string { return l.GoString() }
