package pattern_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/pattern"
)

func TestPatternIsCompiledOnceAndWhenItIsNeeded(t *testing.T) {
	g := NewWithT(t)
	p := pattern.New(`a(b+)`)
	g.Expect(p.Regexp().FindStringSubmatch("xabbx")).To(Equal([]string{"abb", "bb"}))
	g.Expect(p.Regexp()).To(BeIdenticalTo(p.Regexp()))
	invalid := pattern.New(`(`) // says nothing yet
	g.Expect(func() { invalid.Regexp() }).To(PanicWith(ContainSubstring("missing closing )")))
}
