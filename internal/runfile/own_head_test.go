package runfile_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/runfile"
)

var _ = Describe("A head in the very words that we write", func() {
	as := func(text string) string { return text }

	DescribeTable("is told from others",
		func(note, least string, change func(string) string, want bool) {
			Expect(runfile.ReadOwnHead(note, least, change)).To(Equal(want))
		},
		Entry("as it is", "", "1", as, true),
		Entry("of a value that is no number", "", `"NaN"`, as, true),
		Entry("with a note, whose keys are others'", `{"a": 1}`, "", as, false),
		Entry("in other white space", "", "1", func(text string) string {
			return strings.ReplaceAll(text, "\n", "\r\n")
		}, false),
		Entry("with a key of its own that is empty", "", "1", func(text string) string {
			return strings.Replace(text, `"shape":[1]`, `"shape":[1],"nan":0`, 1)
		}, false),
	)

	DescribeTable("has each key once, in JSON of others too",
		func(note, least string, change func(string) string) {
			_, err := runfile.ReadOwnHead(note, least, change)
			Expect(err).To(MatchError(ContainSubstring("occurs twice")))
		},
		Entry("of a note", `{"a": 1, "a": 2}`, "", as),
		Entry("in a value", "", `{"a":1,"a":2}`, as),
		Entry("of the head", "", "1", func(text string) string {
			return strings.Replace(text, `"name":"y"`, `"name":"x","name":"y"`, 1)
		}),
	)
})
