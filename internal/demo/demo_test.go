package main

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/testing/skips"
	"github.com/modelparity/modelparity/internal/testing/usermodule"
)

// TestDemo reads what the demo prints: it is the only place where a changed weight of a real model
// is followed from `go test` to the accepted golden file.
func TestDemo(t *testing.T) {
	g := NewWithT(t)
	needsEngine(t)
	var out bytes.Buffer
	g.Expect(demo(t.Context(), &out)).To(Succeed(), out.String)

	steps := strings.Split(out.String(), "\n### ")
	g.Expect(steps).To(HaveLen(5), "a story of four steps")
	passes, fails, accepts, again := steps[1], steps[2], steps[3], steps[4]

	g.Expect(passes).To(ContainSubstring("ok  \t"))
	g.Expect(fails).To(And(
		ContainSubstring("pass  features "),
		MatchRegexp(`FAIL  logits +float32\[360,10\]  360 of 3600 elements mismatch`),
		ContainSubstring("FAIL  probabilities "),
		MatchRegexp(`worst +actual +expected +abs +rel\n +\[\d+,0\] `), // the class that moved
		ContainSubstring("to accept the change: go test -v ./example_test/digits -golden.update "+
			"-ginkgo.focus='^Digits digits still gives the outputs we shipped$'"),
		HaveSuffix("FAIL\n"),
	))
	// The features do not depend on the weight. On a processor other than the golden file's
	// they move all the same, far within the tolerance.
	g.Expect(change(accepts, "features")).To(BeNumerically("<", 1e-4))
	g.Expect(change(accepts, "logits")).To(BeNumerically(">", 0.1))
	g.Expect(accepts).To(ContainSubstring("ok  \t"))
	g.Expect(again).To(ContainSubstring("ok  \t"))
}

// TestOnlyTheModelChanged holds Go's test cache to the model file: an unchanged suite is answered
// from the cache, and one whose model alone was touched is run again.
func TestOnlyTheModelChanged(t *testing.T) {
	g := NewWithT(t)
	needsEngine(t)
	root, err := usermodule.Root()
	g.Expect(err).NotTo(HaveOccurred())
	var out bytes.Buffer
	s := story{ctx: t.Context(), out: &out, dir: t.TempDir()}
	g.Expect(usermodule.Make(root, s.dir, suite)).To(Succeed())
	g.Expect(age(s.dir)).To(Succeed())
	answer := func() string {
		out.Reset()
		g.Expect(s.goTest(0, suite)).To(Succeed(), out.String)
		return out.String()
	}

	g.Expect(answer()).To(ContainSubstring("ok  \t"))
	g.Expect(answer()).To(ContainSubstring("(cached)"), "else the next line would prove nothing")
	// Far within the tolerance, so that the answer is the same but for the cache.
	_, _, err = changeWeight(filepath.Join(s.dir, suite, model), weight, position, 1e-6)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(answer()).To(And(ContainSubstring("ok  \t"), Not(ContainSubstring("(cached)"))))
}

func TestChangeWeight(t *testing.T) {
	g := NewWithT(t)
	root, err := usermodule.Root()
	g.Expect(err).NotTo(HaveOccurred())
	before, err := os.ReadFile(filepath.Join(root, suite, model))
	g.Expect(err).NotTo(HaveOccurred())
	path := filepath.Join(t.TempDir(), "copy.onnx")
	g.Expect(os.WriteFile(path, before, 0o644)).To(Succeed())

	was, is, err := changeWeight(path, weight, position, moved)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(is - was).To(BeNumerically("~", moved, 1e-6))
	after, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(after).To(HaveLen(len(before)))
	g.Expect(differing(before, after)).To(BeNumerically("<=", 4), "one float32, nothing else")

	_, _, err = changeWeight(path, "nobody", 0, 1)
	g.Expect(err).To(MatchError(HaveSuffix("no initializer named nobody")))
	_, _, err = changeWeight(path, weight, 640, 1)
	g.Expect(err).To(MatchError(HaveSuffix("classes.weight has no element 640")))
}

// change is how far an update says that an output moved, NaN where it does not say.
func change(text, output string) float64 {
	if strings.Contains(text, ", "+output+" unchanged") {
		return 0
	}
	said := regexp.MustCompile(`max abs change (\S+) \(` + output + `\)`).FindStringSubmatch(text)
	if said == nil {
		return math.NaN()
	}
	by, err := strconv.ParseFloat(said[1], 64)
	if err != nil {
		return math.NaN()
	}
	return by
}

// needsEngine skips the test without ONNX Runtime, and under go test -short, for it runs go test
// several times.
func needsEngine(t *testing.T) {
	t.Helper()
	skips.Long(t)
	ort.Require(t)
}

// age makes every file an hour old: go test does not cache a result that read files younger than
// two seconds.
func age(dir string) error {
	old := time.Now().Add(-time.Hour)
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, old, old)
	})
}

// differing counts the bytes that two files of one length do not share.
func differing(a, b []byte) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
