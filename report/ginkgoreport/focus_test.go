package ginkgoreport

import (
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"
)

var _ = Describe("The flags that select a spec", func() {
	const suite, text = "It's (a suite)", "even, isn't it?"
	at := types.CodeLocation{FileName: "/home/user/pkg/even_test.go", LineNumber: 31}
	// runs reports whether Ginkgo would select a spec with that text and location.
	runs := func(flags []string, text string, places ...types.CodeLocation) bool {
		GinkgoHelper()
		for _, flag := range flags {
			name, value, _ := strings.Cut(flag, "=")
			switch name {
			case "-ginkgo.focus":
				if !regexp.MustCompile(value).MatchString(suite + " " + text) {
					return false
				}
			case "-ginkgo.focus-file":
				filters, err := types.ParseFileFilters([]string{value})
				Expect(err).NotTo(HaveOccurred())
				if !filters.Matches(places) {
					return false
				}
			default:
				Fail("unknown flag " + name)
			}
		}
		return true
	}

	It("select it by its whole text if the suite's text is known", func() {
		flags := choosing(suite, text, at)
		Expect(flags).To(HaveLen(1))
		Expect(runs(flags, text, at)).To(BeTrue())
		Expect(runs(flags, "odd or "+text, at)).To(BeFalse())
		Expect(runs(flags, text+" still", at)).To(BeFalse())
	})

	It("also select it by its line in other processes, to exclude longer texts", func() {
		flags := choosing("", text, at)
		above := types.CodeLocation{FileName: at.FileName, LineNumber: 3}
		Expect(runs(flags, text, above, at)).To(BeTrue())
		windows := types.CodeLocation{FileName: `C:\pkg\even_test.go`, LineNumber: 31}
		Expect(runs(flags, text, windows)).To(BeTrue())
		elsewhere := []types.CodeLocation{above, {FileName: at.FileName, LineNumber: 310},
			{FileName: "/home/user/pkg/not_even_test.go", LineNumber: 31}}
		Expect(runs(flags, "odd or "+text, elsewhere...)).To(BeFalse())
		Expect(runs(flags, text+" still", at)).To(BeFalse())
	})

	It("omit locations that are not a line of a file", func() {
		Expect(choosing("", text, types.NewCustomCodeLocation("row 7"))).To(HaveLen(1))
	})
})
