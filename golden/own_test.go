package golden_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
)

var _ = Describe("The name of a spec's own golden file", func() {
	DescribeTable("is its text, as every file system takes it", func(text, name string) {
		Expect(goldentree.OwnName(text)).To(Equal(name))
		Expect(goldentree.Path(name)).NotTo(BeEmpty())
	},
		Entry(nil, "digits still match", "digits-still-match-3545f21c"),
		Entry(nil, "Digits still match", "digits-still-match-0d67deb0"),
		Entry(nil, "  a/../b: \"c\" <d>|e?*\\f\x00\n", "a-b-c-d-e-f-b2796910"),
		Entry(nil, "TestDigits/batch_of_8", "testdigits-batch-of-8-55bf7b94"),
		Entry(nil, "数字 é", "spec-49eaedbc"),
		Entry(nil, "con", "con-1143da2b"),
		Entry(nil, ".hidden...", "hidden-f8825eae"),
		Entry(nil, "\xff", "spec-a8100ae6"),
	)

	It("stays short, and is another one for another text", func() {
		long := strings.Repeat("ab ", 1000)
		Expect(len(goldentree.OwnName(long))).To(BeNumerically("<=", 90))
		Expect(goldentree.OwnName(long)).NotTo(Equal(goldentree.OwnName(long + "c")))
	})

	It("belongs to one match of the spec, in each of its attempts", func() {
		type match struct{ _ byte }
		spec := golden.Begin("digits still match")
		first, second := new(match), new(match)
		Expect(spec.Own(first)).To(Equal("digits-still-match-3545f21c"))
		Expect(spec.Own(first)).To(Equal("digits-still-match-3545f21c"), "polled again")
		_, err := spec.Own(second)
		Expect(err).To(MatchError(`two unnamed matchers in the spec "digits still match" would ` +
			`share the golden file "digits-still-match-3545f21c": give each a name; to share one ` +
			"file, give them the same name"))
		spec.Again(false)
		Expect(spec.Own(second)).To(Equal("digits-still-match-3545f21c"))
		Expect(spec.End(true)).To(BeEmpty())
	})

	It("is not guessed where the spec is not known", func() {
		var unknown *golden.Spec
		_, err := unknown.Own(1)
		Expect(err).To(MatchError(ContainSubstring("which is unknown here: name the file, or use ")))
	})
})
