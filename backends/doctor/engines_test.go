package doctor_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/doctor"
	"github.com/modelparity/modelparity/internal/engines"
)

func TestEveryEngineThatIsFetchedIsDescribed(t *testing.T) {
	g := NewWithT(t)
	described := map[string]doctor.Engine{}
	for _, e := range doctor.Engines() {
		g.Expect([]string{e.Name, e.Title, e.Variable, e.Obtain, e.Runs, e.Tested, e.Habits}).NotTo(
			ContainElement(BeEmpty()), e.Title)
		g.Expect(described).NotTo(HaveKey(e.Title), "each engine is described once")
		described[e.Title] = e
	}
	for _, e := range engines.Catalogue() {
		g.Expect(described).To(HaveKey(e.Title))
		g.Expect(described[e.Title].Variable).To(Equal(e.Variable))
		g.Expect(described[e.Title].Tested).To(HavePrefix(e.Version))
		g.Expect(described[e.Title].Obtain).To(ContainSubstring("modelparity setup"))
	}
}
