package option

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kind is what all option lists of one engine share.
type Kind[S any] struct {
	Package string // the Go package: "ort"
	Name    string // of the engine, for people: "onnxruntime"

	// Defaults is the settings without options.
	Defaults func() S
	// Check judges the settings as a whole, once every option was applied, and may complete them.
	// It is not asked about options that are wrong by themselves. nil accepts everything.
	Check func(*S) error
}

// List is the sum of options. Lists of the same options are equal by ==, in any order that makes no
// difference, and with or without options that set a default. A list with an option that has no
// text ([LeftOut]) equals only its own copies.
//
// Its settings are marshalled as JSON: what encoding/json leaves out must be the default.
type List[S any] struct {
	pack, name string
	text       string // the settings that are not the defaults, as a JSON object
	code       string // the options as arguments
	words      string
	wrong      string       // everything that is wrong with the options, a line each
	given      *[]Option[S] // where something has no text
	kind       *Kind[S]
}

// List adds options up. It never fails; see [List.Settings]. k is kept: it is a package's variable.
func (k *Kind[S]) List(options ...Option[S]) List[S] {
	list := List[S]{pack: k.Package, name: k.Name, kind: k}
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
	if slices.ContainsFunc(given, Option[S].untold) {
		list.given = &given
	}
	list.code, list.words = code(given), strings.Join(words(given), ", ")
	return list
}

// apply applies the options in order. Its error is everything that is wrong, in that order.
func (k *Kind[S]) apply(options []Option[S]) (*S, error) {
	s := k.Defaults()
	err := Apply(&s, options...)
	if err == nil && k.Check != nil {
		err = k.Check(&s)
	}
	return &s, err
}

// Apply applies options to settings in order, for options that take others as arguments. Its error
// is everything that is wrong, in that order.
func Apply[S any](s *S, options ...Option[S]) error {
	var wrong []error
	for _, o := range atoms(nil, Join(options...)) {
		wrong = append(wrong, o.set(s))
	}
	return errors.Join(wrong...)
}

// encode is the canonical text of settings: a JSON object, sorted, without what is the default.
func (k *Kind[S]) encode(s *S) (string, error) {
	values, err := fields(s)
	if err != nil {
		return "", err
	}
	d := k.Defaults()
	if k.Check != nil {
		if err := k.Check(&d); err != nil {
			return "", err
		}
	}
	usual, err := fields(&d)
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

// fields is the JSON of a struct, field by field.
func fields(s any) (values map[string]json.RawMessage, err error) {
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	return values, err
}

// shortest is the options without those that change nothing, in alphabetical order where the order
// makes no difference.
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
		if without := slices.Delete(slices.Clone(kept), i, i+1); !kept[i].untold() && same(without) {
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

// With is the list with more options behind its own. A list whose options are wrong stays as it is.
func (l List[S]) With(options ...Option[S]) List[S] {
	s, err := l.Settings()
	if err != nil {
		return l
	}
	more := atoms(nil, Join(options...))
	if err = Apply(s, more...); err == nil && l.kind.Check != nil {
		err = l.kind.Check(s)
	}
	if err == nil {
		l.text, err = l.kind.encode(s)
	}
	if err != nil {
		l.wrong = err.Error()
		return l
	}
	if l.given != nil || slices.ContainsFunc(more, Option[S].untold) {
		var given []Option[S]
		if l.given != nil {
			given = slices.Clone(*l.given)
		}
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

// Settings returns a copy of the resulting settings, or everything wrong with the options: one
// error per line, in the options' order.
func (l List[S]) Settings() (*S, error) {
	switch {
	case l.kind == nil:
		return nil, errors.New("this engine was not made by its package's Engine function")
	case l.wrong != "":
		return nil, fmt.Errorf("%s: %w", l.name, errors.New(l.wrong))
	case l.given != nil:
		return l.kind.apply(*l.given)
	}
	return l.kind.Parse(l.text)
}

// Parse reads the settings back from their text.
func (k *Kind[S]) Parse(text string) (*S, error) {
	s := k.Defaults()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("%s: options %q: %w", k.Name, text, err)
	}
	if k.Check != nil {
		if err := k.Check(&s); err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
	}
	return &s, nil
}

// Read is the list whose text is given ([List.Text]). It prints its settings in place of options.
func (k *Kind[S]) Read(text string) (List[S], error) {
	settings, ok := strings.CutPrefix(text, k.Package+" ")
	if !ok {
		return List[S]{}, fmt.Errorf("%s: %q is not a text of this engine", k.Name, text)
	}
	list := List[S]{pack: k.Package, name: k.Name, text: settings, words: settings, kind: k,
		code: Comment + settings + " */"}
	_, err := list.Settings()
	return list, err
}

// Wrong is everything that is wrong with the options, as [List.Settings] tells it, or nil.
func (l List[S]) Wrong() error {
	_, err := l.Settings()
	return err
}

// Text is the engine's canonical text: its package and the options that are not the defaults, as a
// JSON object: `ort {"intra":2}`. The text of wrong options is their error.
func (l List[S]) Text() string {
	if l.wrong != "" {
		return l.pack + " " + l.wrong
	}
	return l.pack + " " + l.text
}

// String is the engine for people: "onnxruntime Threads(2)".
func (l List[S]) String() string { return strings.TrimSpace(l.name + " " + l.words) }

// GoString is the call of the package's Engine with the options: ort.Engine(ort.Threads(2)).
func (l List[S]) GoString() string { return l.Call("Engine") }

// Call is the call of another function of the package, which takes the arguments, as Go source,
// before the options: process.Model("net.pt2", process.PyTorch()).
func (l List[S]) Call(function string, arguments ...string) string {
	if l.code != "" {
		arguments = append(slices.Clone(arguments), l.code)
	}
	return l.pack + "." + function + "(" + strings.Join(arguments, ", ") + ")"
}

// GomegaString is what Gomega prints for an engine, in place of its fields: its Go source.
func (l List[S]) GomegaString() string { return l.GoString() }
