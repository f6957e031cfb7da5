package ginkgoreport

import (
	"flag"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/tally"
	"github.com/modelparity/modelparity/report/internal/kept"
)

// keeping is a test with an artifact folder.
type keeping struct {
	kept.T
	folder string
}

func (k keeping) ArtifactDir() string { return k.folder }

var _ = Describe("Artifacts", func() {
	artifacts := func(on string) {
		GinkgoHelper()
		before := flag.Lookup("test.artifacts").Value.String()
		Expect(flag.Set("test.artifacts", on)).To(Succeed())
		DeferCleanup(flag.Set, "test.artifacts", before)
	}
	BeforeEach(func() {
		suiteT = keeping{folder: "folder"}
		DeferCleanup(func() { suiteT = nil })
	})

	It("moves relative paths into the artifact folder", func() {
		artifacts("true")
		absolute := GinkgoT().TempDir()
		Expect(place("x/y")).To(Equal(filepath.Join("folder", "x", "y")))
		Expect(place("")).To(Equal("folder"))
		Expect(place(absolute)).To(Equal(absolute))
		suiteT = nil
		Expect(place("x")).To(Equal("x"), "the suite does not call Artifacts")
	})

	It("moves nothing without the flag", func() {
		artifacts("false")
		Expect(place("x")).To(Equal("x"))
		Expect(place("")).To(BeEmpty())
	})
})

var _ = Describe("Constraints on versions", ComponentSemVerConstraint("abacus", ">= 1.2, < 2"),
	func() {
		DescribeTable("hold for the release, whatever an engine appends",
			func(version, why string) {
				Expect(unfit(map[string]tally.Engine{"abacus": {Version: version},
					"other": {Version: "0.1"}})).To(Equal(why))
			},
			Entry("a version inside", "1.2.0", ""),
			Entry("a build of OpenVINO's kind", "1.9.0-20123-4452628", ""),
			Entry("four numbers, as TensorRT has", "1.10.0.31", ""),
			Entry("one that is too old", "1.1.9",
				"abacus 1.1.9 is installed; this spec needs >= 1.2, < 2"),
			Entry("one that is too new", "2.0",
				"abacus 2.0 is installed; this spec needs >= 1.2, < 2"),
			Entry("an unknown version", "", ""))
	})
