package option_test

import (
	"errors"
	"io"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/option"
)

// settings has every kind of field that an engine may have.
type settings struct {
	N      int               `json:"n"` // 1 by default
	Flags  map[string]bool   `json:"flags,omitempty"`
	Names  []string          `json:"names,omitempty"`
	Keys   map[string]string `json:"keys,omitempty"`
	Log    io.Writer         `json:"-"`
	Secret string            `json:"-"`
}

type Option = option.Option[settings]

var kind = option.Kind[settings]{Package: "abacus", Name: "the abacus",
	Defaults: func() settings { return settings{N: 1} },
	Check: func(s *settings) error {
		if s.N > 1 && s.Flags["A"] {
			return errors.New("A is for one")
		}
		return nil
	}}

func count(n int) Option {
	return option.New(option.Call("abacus.Count", n), func(s *settings) error {
		if n < 0 {
			return errors.New("must not be negative")
		}
		s.N = n
		return nil
	})
}

func flag(name string) Option {
	return option.New(option.Call("abacus."+name), func(s *settings) error {
		if s.Flags == nil {
			s.Flags = map[string]bool{}
		}
		s.Flags[name] = true
		return nil
	})
}

func name(n string) Option {
	return option.New(option.Call("abacus.Name", n), func(s *settings) error {
		s.Names = append(s.Names, n)
		return nil
	})
}

func log(w io.Writer) Option {
	return option.LeftOut("abacus.Log", "a writer", func(s *settings) error {
		s.Log = w
		return nil
	})
}

func secret(text string) Option {
	return option.LeftOut("abacus.Secret", "a password", func(s *settings) error {
		s.Secret = text
		return nil
	})
}

// both takes options as arguments.
func both(how ...Option) Option {
	return option.New(option.Call("abacus.Both", option.Args(how)...), func(s *settings) error {
		s.N = 2
		return option.Apply(s, how...)
	})
}

func TestAListIsAValue(t *testing.T) {
	g := NewWithT(t)
	a := kind.List(count(3), count(2), flag("B"), flag("C"), Option{})
	b := kind.List(option.Join(flag("C"), option.Join(flag("B"))), count(2))
	g.Expect(a).To(BeIdenticalTo(b), "%#v\n%#v", a, b)
	g.Expect(a.GoString()).To(Equal("abacus.Engine(abacus.B(), abacus.C(), abacus.Count(2))"))
	g.Expect(a.String()).To(Equal("the abacus B, C, Count(2)"))
	g.Expect(a.Text()).To(Equal(`abacus {"flags":{"B":true,"C":true},"n":2}`))
	g.Expect(kind.List(count(1))).To(BeIdenticalTo(kind.List()), "the default, given")
	g.Expect(kind.List().Text()).To(Equal("abacus {}"))
	g.Expect(kind.List(count(0)).Text()).To(Equal(`abacus {"n":0}`))
}

func TestOptionsKeepTheirOrderWhereItMakesADifference(t *testing.T) {
	g := NewWithT(t)
	a := kind.List(flag("B"), name("z"), name("y"))
	g.Expect(a.GoString()).To(Equal(
		`abacus.Engine(abacus.B(), abacus.Name("z"), abacus.Name("y"))`))
	g.Expect(a).NotTo(BeIdenticalTo(kind.List(flag("B"), name("y"), name("z"))))
}

func TestItsTextIsReadBack(t *testing.T) {
	g := NewWithT(t)
	for _, list := range []option.List[settings]{kind.List(), kind.List(count(0), name("<é\n")),
		kind.List(flag("B"))} {
		s, err := list.Settings()
		g.Expect(err).NotTo(HaveOccurred())
		again, err := kind.Parse(list.Text()[len("abacus "):])
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(again).To(Equal(s))
		s.N = 77 // of a copy
		g.Expect(list.Settings()).NotTo(Equal(s))
	}
	_, err := kind.Parse(`{"m":1}`)
	g.Expect(err).To(MatchError(ContainSubstring(`unknown field "m"`)))
	_, err = kind.Parse(`{"n":2,"flags":{"A":true}}`)
	g.Expect(err).To(MatchError("the abacus: A is for one"))
}

func TestEverythingWrongIsToldAtOnceInOrder(t *testing.T) {
	g := NewWithT(t)
	list := kind.List(count(-2), flag("A"), name("\xff"), count(-1))
	for range 20 {
		_, err := list.Settings()
		g.Expect(err).To(MatchError("the abacus: abacus.Count(-2): must not be negative\n" +
			"abacus.Name(\"\\xff\"): \"\\xff\" is not valid UTF-8\n" +
			"abacus.Count(-1): must not be negative"))
	}
	g.Expect(list.GoString()).To(Equal(
		`abacus.Engine(abacus.Count(-2), abacus.A(), abacus.Name("\xff"), abacus.Count(-1))`))
	g.Expect(list).To(BeIdenticalTo(kind.List(count(-2), flag("A"), name("\xff"), count(-1))))
	_, err := kind.List(count(2), flag("A")).Settings()
	g.Expect(err).To(MatchError("the abacus: A is for one"))
}

func TestWhatHasNoGoFormIsNamedAndKept(t *testing.T) {
	g := NewWithT(t)
	list := kind.List(log(io.Discard), secret("sesame */ x"), count(2))
	g.Expect(list.GoString()).To(Equal("abacus.Engine(abacus.Count(2) " +
		"/* left out: abacus.Log(a writer), abacus.Secret(a password) */)"))
	g.Expect(list.String()).To(Equal("the abacus Count(2), Log(a writer), Secret(a password)"))
	g.Expect(list.Text()).NotTo(ContainSubstring("sesame"))
	s, err := list.Settings()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s).To(Equal(&settings{N: 2, Log: io.Discard, Secret: "sesame */ x"}))
	copied := list
	g.Expect(list).To(BeIdenticalTo(copied))
	g.Expect(list).NotTo(BeIdenticalTo(kind.List(log(io.Discard), secret("x"), count(2))))
	g.Expect(log(io.Discard).Source()).To(Equal("/* left out: abacus.Log(a writer) */"))
	g.Expect(both(log(io.Discard), count(1)).Source()).To(Equal(
		"abacus.Both(abacus.Count(1) /* left out: abacus.Log(a writer) */)"))
	s, err = kind.List(both(log(io.Discard), count(3))).Settings()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s).To(Equal(&settings{N: 3, Log: io.Discard}), "the argument has no text")
	g.Expect(both(log(io.Discard)).Source()).To(Equal(
		"abacus.Both(/* left out: abacus.Log(a writer) */)"))
}

func TestAnOptionPrintsItself(t *testing.T) {
	g := NewWithT(t)
	joined := option.Join(count(2), flag("B"))
	g.Expect(joined.Source()).To(Equal("abacus.Count(2), abacus.B()"))
	g.Expect(joined.Words()).To(Equal("Count(2), B"))
	g.Expect(both(joined, Option{}).Source()).To(Equal("abacus.Both(abacus.Count(2), abacus.B())"))
	g.Expect(both(joined).Words()).To(Equal("Both(Count(2), B)"))
	_, err := kind.List(both(count(-1), count(-2))).Settings()
	g.Expect(err).To(MatchError("the abacus: abacus.Both(abacus.Count(-1), abacus.Count(-2)): " +
		"abacus.Count(-1): must not be negative\nabacus.Count(-2): must not be negative"))
	g.Expect(option.Call("abacus.F", 1.5, "a\"b", int64(3), true).GoString()).To(Equal(
		`abacus.F(1.5, "a\"b", 3, true)`))
}

func TestMoreOptionsBehindAList(t *testing.T) {
	g := NewWithT(t)
	list := kind.List(count(3), name("a"))
	more := list.With(count(5))
	g.Expect(more.Text()).To(Equal(kind.List(count(5), name("a")).Text()))
	g.Expect(more.GoString()).To(HaveSuffix("abacus.Count(5))"))
	g.Expect(list.Text()).To(Equal(kind.List(count(3), name("a")).Text()), "the list stays as it is")
	g.Expect(kind.List().With(count(5)).GoString()).To(Equal("abacus.Engine(abacus.Count(5))"))

	s, err := more.Settings()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.N).To(Equal(5))
	g.Expect(kind.List(count(-1)).With(count(2)).Wrong()).To(MatchError(ContainSubstring("Count(-1)")))
	g.Expect(list.With(count(-1)).Wrong()).To(MatchError(ContainSubstring("Count(-1)")))
}

func TestMoreOptionsBehindOneWithoutText(t *testing.T) {
	g := NewWithT(t)
	more := kind.List(log(io.Discard)).With(count(5))
	g.Expect(more.GoString()).To(HavePrefix("abacus.Engine(abacus.Count(5) /* left out"))
	s, err := more.Settings()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.N).To(Equal(5))
	g.Expect(s.Log).To(Equal(io.Discard))

	s, err = kind.List(count(3), name("a")).With(log(io.Discard)).With(name("b")).Settings()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.N).To(Equal(3), "an option without text keeps those before it")
	g.Expect(s.Names).To(Equal([]string{"a", "b"}))
	g.Expect(s.Log).To(Equal(io.Discard))
}
