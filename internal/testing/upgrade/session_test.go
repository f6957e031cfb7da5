// Package upgrade_test plays docs/ci.md on example_test/upgrade, in a tree of its own. It
// stands apart because an example is to be copied, and this needs what only our tests have.
package upgrade_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/cli/goldenfiles"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/internal/testing/trtmock"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/locate"
)

// example is the suite's folder.
var example = filepath.Join("..", "..", "..", "example_test", "upgrade")

// session is the suite in a tree of its own, where its golden files may be written.
type session struct {
	t      *testing.T
	folder string // of the package
	binary string
	env    []string
}

func newSession(t *testing.T) *session {
	t.Helper()
	g := NewWithT(t)
	root := t.TempDir()
	g.Expect(os.WriteFile(filepath.Join(root, "go.mod"), []byte("module upgrade\n"), 0o600)).
		To(Succeed())
	for _, folder := range []string{"../digits/testdata", "../dynamic/testdata", "testdata"} {
		to := filepath.Join(root, "upgrade", folder)
		g.Expect(os.CopyFS(to, os.DirFS(filepath.Join(example, folder)))).To(Succeed())
	}
	binary := filepath.Join(t.TempDir(), "upgrade.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", binary, ".")
	build.Dir = example
	output, err := build.CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), string(output))
	review := t.TempDir()
	t.Setenv(goldentree.EnvReview, review)
	return &session{t, filepath.Join(root, "upgrade"), binary, []string{"UPGRADE_STRICT=1", "CI=",
		goldentree.EnvUpdate + "=", "PWD=" + filepath.Join(root, "upgrade")}}
}

// suite runs the specs as `go test` does, and reports whether they pass.
func (s *session) suite(args []string, env ...string) bool {
	s.t.Helper()
	command := exec.Command(s.binary, append([]string{"-test.run=^TestUpgrade$",
		"-ginkgo.no-color", "-ginkgo.label-filter=!gpu"}, args...)...)
	command.Dir = s.folder
	command.Env = append(append(os.Environ(), s.env...), env...)
	output, err := command.CombinedOutput()
	s.t.Logf("$ go test ./upgrade %s\n%s", strings.Join(args, " "), output)
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return err == nil
}

// golden is what `modelparity golden WORD` answers in the tree.
func (s *session) golden(word string) goldenfiles.Answer {
	s.t.Helper()
	s.t.Chdir(s.folder)
	for _, w := range goldenfiles.Words() {
		if w.Name != word {
			continue
		}
		answer, err := w.Ask(context.Background(), goldenfiles.Question{All: word == "diff"})
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Logf("$ modelparity golden %s\n%s", word, answer.Text)
		return answer
	}
	s.t.Fatal("no word " + word)
	return goldenfiles.Answer{}
}

// TestSession is docs/ci.md: golden files of ONNX Runtime 1.24.4, run by what is here now,
// reviewed and accepted. With UPGRADE_FROM, the path of the old library, the files are made on this
// machine first, as `make upgrade` does. Otherwise the committed files are used, and
// whether the outputs moved depends on the processor.
func TestSession(t *testing.T) {
	skips.Long(t)
	ort.Require(t)
	g := NewWithT(t)
	s := newSession(t)
	from := os.Getenv("UPGRADE_FROM")
	if from != "" {
		g.Expect(os.RemoveAll(filepath.Join(s.folder, "testdata"))).To(Succeed())
		old := []string{engines.ONNXRuntime.Variable + "=" + from, "MODELPARITY_LOCK=off"}
		g.Expect(s.suite([]string{"-golden.update"}, old...)).To(BeTrue())
		g.Expect(s.suite(nil, old...)).To(BeTrue(), "the old engine holds to its own files")
	}
	before := s.golden("ls").Text
	g.Expect(strings.Count(before, "onnxruntime 1.24.4")).To(Equal(3))
	held := s.suite(nil)
	g.Expect(s.suite([]string{"-golden.update=diff"})).To(Equal(held))
	g.Expect(s.golden("ls").Text).To(Equal(before), "nothing was written")

	review := s.golden("diff")
	if !held {
		g.Expect(review.Differs).To(BeTrue())
		g.Expect(review.Text).To(ContainSubstring(
			"golden would be rewritten: testdata/golden/encoder-bits.json"))
	}
	if review.Differs {
		g.Expect(review.Text).To(MatchRegexp("onnxruntime 1.24.4 .* → onnxruntime "))
	}
	accepted := s.golden("accept")
	differ := slices.DeleteFunc(slices.Clone(review.Changes), func(c golden.Change) bool {
		return c.Kind == golden.Kept // within tolerance
	})
	g.Expect(accepted.Changes).To(HaveLen(len(differ)))
	g.Expect(s.suite(nil)).To(BeTrue(), "every spec holds to what was accepted")
	g.Expect(strings.Count(s.golden("ls").Text, "onnxruntime 1.24.4")).To(
		Equal(3 - len(accepted.Changes)))
}

// TestTheReleaseOfTheUpgrade ends docs/ci.md's session: it names the release that moved the
// encoder's bits. Whether they moved depends on the processor.
func TestTheReleaseOfTheUpgrade(t *testing.T) {
	ort.Require(t, ort.Release("1.24.4"))
	ort.Require(t, ort.Release(engines.ONNXRuntime.Version))
	g := NewWithT(t)
	releases, err := isolated.Releases(ort.Engine(), "1.24.4", engines.ONNXRuntime.Version)
	g.Expect(err).NotTo(HaveOccurred())
	encoder := loaders.ONNX(filepath.Join(example, "..", "dynamic", "testdata", "encoder.onnx"))
	tokens := fixtures.Random(encoder, fixtures.Seed(1), fixtures.Shape("tokens", 3, 7),
		fixtures.ValRange(0, 63))
	find := func(atol, rtol float64) *locate.ReleaseReport {
		report, err := locate.Releases(t.Context(), encoder, tokens, locate.ReleaseOptions{Locate: true,
			Search: locate.Options{Compare: compare.Options{Checks: []compare.Check{
				compare.Within(atol, rtol, compare.Elementwise)}}}}, releases...)
		g.Expect(err).NotTo(HaveOccurred())
		t.Logf("%s", report.Text())
		return report
	}
	g.Expect(find(1e-5, 1e-5).Agree()).To(BeTrue())
	exact := find(0, 0)
	if exact.Releases[1].Alike == "1.24.4" {
		g.Expect(exact.Agree()).To(BeTrue())
		return
	}
	g.Expect(exact.Bad).To(Equal(engines.ONNXRuntime.Version))
	g.Expect(exact.Good).To(Equal("1.24.4"))
	g.Expect(exact.Problem).To(BeEmpty())
	g.Expect(exact.Located.First).NotTo(BeNil())
}

// TestSessionOnTheMock runs the spec for GPUs on the mock of TensorRT: it tests the spec, not
// TensorRT.
func TestSessionOnTheMock(t *testing.T) {
	skips.Long(t)
	if runtime.GOOS != "linux" {
		t.Skip("the mock is built on Linux")
	}
	g := NewWithT(t)
	mock, err := trtmock.Folder(filepath.Join("..", "..", ".."), t.TempDir(), 10, 6)
	if err != nil {
		t.Skip("the mock cannot be built: ", err)
	}
	model := filepath.Join(t.TempDir(), "chain.onnx")
	g.Expect(os.WriteFile(model, trtmock.Chain(), 0o600)).To(Succeed())
	s := newSession(t)
	command := exec.Command(s.binary, "-test.run=^TestUpgrade$", "-ginkgo.label-filter=gpu",
		"-ginkgo.no-color", "-ginkgo.v")
	command.Env = append(os.Environ(), "LD_LIBRARY_PATH="+mock, "UPGRADE_MODEL="+model,
		"MODELPARITY_TENSORRT_LIBRARY_PATH="+mock, "MODELPARITY_ENGINE_CACHE="+t.TempDir())
	output, err := command.CombinedOutput()
	t.Logf("%s", output)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(output)).To(ContainSubstring("1 Passed"))
	g.Expect(string(output)).To(ContainSubstring("net@tensorrt-fp16-sm"))
}
