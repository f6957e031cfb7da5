package golden_test

import (
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/tensor"
)

var _ = Describe("Two processes that update golden files", func() {
	one := runOf(must("x", tensor.Of[float32](1)))
	two := runOf(must("x", tensor.Of[float32](2)))

	var path, meeting string
	BeforeEach(func() {
		path = temporary("x.json")
		meeting = filepath.Join(GinkgoT().TempDir(), "journal")
		asked("1")
		golden.MeetIn(meeting)
	})
	// anotherProcess makes the next update one of another process of the same run.
	anotherProcess := func() {
		golden.ForgetAll()
		asked("1")
	}

	It("may write the same, and may keep what is within their tolerance", func() {
		Expect(golden.Update(path, one, golden.Options{By: "a_test.go:1"})).
			To(HaveField("Kind", golden.Created))
		anotherProcess()
		Expect(golden.Update(path, one, golden.Options{By: "b_test.go:2"})).
			To(HaveField("Kind", golden.Unchanged))
		anotherProcess()
		Expect(golden.Update(path, two, golden.Options{By: "c_test.go:3", Judge: passes})).
			To(HaveField("Kind", golden.Kept))
	})

	It("may not write different outputs, and the error names both and the ways out", func() {
		Expect(golden.Update(path, one, golden.Options{By: "a_test.go:1"})).
			To(HaveField("Kind", golden.Created))
		before := contents(path)
		anotherProcess()
		_, err := golden.Update(path, two, golden.Options{By: "b_test.go:2"})
		Expect(err).To(MatchError("golden: " + path + " was not written: the assertion at a_test.go:1 " +
			"and the assertion at b_test.go:2 use the same golden file, but produce different outputs; " +
			"give each its own file, or use OfFile to compare one of them with the other's file"))
		Expect(contents(path)).To(Equal(before))
	})

	It("may not write over what another one found to hold", func() {
		Expect(golden.Write(path, one, golden.Options{})).To(Succeed())
		Expect(golden.Update(path, two, golden.Options{By: "a", Judge: passes})).
			To(HaveField("Kind", golden.Kept))
		anotherProcess()
		_, err := golden.Update(path, runOf(must("x", tensor.Of[float32](9))), golden.Options{By: "b"})
		Expect(err).To(MatchError(ContainSubstring(
			"use the same golden file, but produce different outputs")))
	})

	It("may not keep what another one replaced since it was looked at", func() {
		Expect(golden.Write(path, one, golden.Options{})).To(Succeed())
		near := runOf(must("x", tensor.Of[float32](1.125)))
		p, err := golden.Prepare(golden.Rewrite, path, near, golden.Options{By: "a",
			Judge: func(_, old *backends.Run) (compare.Report, error) {
				if v, _ := old.Outputs()[0].Get("x"); v.Float64At(0) == 1 {
					return passes(nil, old)
				}
				return compare.Report{Verdict: compare.Fail}, nil
			}})
		Expect(err).NotTo(HaveOccurred())
		Expect(p.Change.Kind).To(Equal(golden.Kept))
		anotherProcess()
		Expect(golden.Update(path, two, golden.Options{By: "b"})).
			To(HaveField("Kind", golden.Rewritten))
		_, err = p.Commit()
		Expect(err).To(MatchError(ContainSubstring(
			"use the same golden file, but produce different outputs")))
	})

	It("pass over half a line that a killed process left, and no other", func() {
		Expect(golden.Update(path, one, golden.Options{By: "a"})).To(HaveField("Kind", golden.Created))
		journal := filepath.Join(meeting, "records")
		text := contents(journal)
		Expect(os.WriteFile(journal, []byte(text+text[:len(text)/2]), 0o600)).To(Succeed())
		anotherProcess()
		Expect(golden.Update(path, one, golden.Options{By: "b"})).
			To(HaveField("Kind", golden.Unchanged))
		anotherProcess()
		_, err := golden.Update(path, two, golden.Options{By: "c"})
		Expect(err).To(MatchError(ContainSubstring("the assertion at a and")))
		Expect(strings.Count(contents(journal), "\n")).To(Equal(3), "two records and the half one")
	})

	It("write nothing if their journal fails", func() {
		Expect(os.WriteFile(meeting, nil, 0o600)).To(Succeed())
		_, err := golden.Update(path, one, golden.Options{})
		Expect(err).To(MatchError(ContainSubstring("not a directory")))
		Expect(path).NotTo(BeAnExistingFile())
	})

	It("know a file by one name, whatever links lead to it, before it is there", func() {
		folder := GinkgoT().TempDir()
		Expect(os.Mkdir(filepath.Join(folder, "real"), 0o755)).To(Succeed())
		Expect(os.Symlink("real", filepath.Join(folder, "link"))).To(Succeed())
		_, err := golden.Update(filepath.Join(folder, "link", "deep", "x.json"), one, golden.Options{})
		Expect(err).NotTo(HaveOccurred())
		_, err = golden.Update(filepath.Join(folder, "real", "deep", "x.json"), two, golden.Options{})
		Expect(err).To(MatchError(ContainSubstring("was not written")))
	})

	It("meet in the go command's work folder, which goes with it", func() {
		binary, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		if !strings.Contains(binary, "go-build") {
			Skip("not run by go test")
		}
		Expect(binary).To(HavePrefix(filepath.Dir(golden.FolderOfRun())))
	})
})
