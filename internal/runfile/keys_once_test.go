package runfile_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/runfile"
)

var _ = Describe("A head", func() {
	as := func(text string) string { return text }

	DescribeTable("has each key once, in JSON of others too",
		func(note, least string, change func(string) string) {
			Expect(runfile.ReadOwnHead(note, least, change)).To(MatchError(ContainSubstring("occurs twice")))
		},
		Entry("of a note", `{"a": 1, "a": 2}`, "", as),
		Entry("in a value", "", `{"a":1,"a":2}`, as),
		Entry("of the head", "", "1", func(text string) string {
			return strings.Replace(text, `"name":"y"`, `"name":"x","name":"y"`, 1)
		}),
	)
})
