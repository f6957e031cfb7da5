package texts

import (
	"testing"

	. "github.com/onsi/gomega"
)

func init() {
	Register("early", func(text string) (any, error) { return "opened " + text, nil })
	Register("early", func(string) (any, error) { return "the second", nil })
	Register("", func(string) (any, error) { return nil, nil })
	Register("two words", func(string) (any, error) { return nil, nil })
	Register("nil", nil)
}

// atStart is registered while variables are initialised.
var atStart = func() bool {
	Register("variable", func(text string) (any, error) { return text, nil })
	return true
}()

func TestATextIsOpenedByItsFirstWord(t *testing.T) {
	g := NewWithT(t)
	g.Expect(atStart).To(BeTrue())
	g.Expect(Open(`early {"a":1}`)).To(Equal(`opened early {"a":1}`))
	g.Expect(Open("variable")).To(Equal("variable"))
	_, err := Open("unheard {}")
	g.Expect(err).To(MatchError(MatchRegexp( // the other tests register more, in any order
		`^no opener is registered for "unheard", the first word of an engine or model written as ` +
			`text; registered words: .*early, .*variable; call Register in an init function, so that ` +
			`child processes call it too$`)))
}

func TestAwaitIsCalledWhicheverComesFirst(t *testing.T) {
	g := NewWithT(t)
	calls := 0
	Await("early", func() { calls++ })
	g.Expect(calls).To(Equal(1))
	Await("awaited", func() { calls++ })
	g.Expect(calls).To(Equal(1))
	Register("awaited", func(string) (any, error) { return nil, nil })
	g.Expect(calls).To(Equal(2))
}
