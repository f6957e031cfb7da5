package golden_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/golden"
	"github.com/modelparity/modelparity/internal/goldentree"
	"github.com/modelparity/modelparity/tensor"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == writerArgument {
		writeForEver(os.Args[2])
	}
	if len(os.Args) > 2 && os.Args[1] == cramped {
		writeCramped(os.Args[2])
	}
	if len(os.Args) > 2 && os.Args[1] == updaterArgument {
		updateAll(os.Args[2])
	}
	os.Exit(m.Run())
}

func TestGolden(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "golden")
}

// Nothing that the user or CI asks this suite for may reach the specs, which ask themselves.
var _ = BeforeEach(func() {
	GinkgoT().Setenv(goldentree.EnvUpdate, "")
	GinkgoT().Setenv("CI", "")
	GinkgoT().Setenv(goldentree.EnvReview, GinkgoT().TempDir())
	golden.ForgetAll()
	golden.MeetIn("")
})

func set(entries ...any) *tensor.Set {
	GinkgoHelper()
	var all []tensor.Entry
	for i := 0; i < len(entries); i += 2 {
		all = append(all, tensor.Entry{Name: entries[i].(string), Tensor: entries[i+1].(*tensor.Tensor)})
	}
	s, err := tensor.NewSet(all...)
	Expect(err).NotTo(HaveOccurred())
	return s
}

// runOf is a run of the given outputs, one set per iteration.
func runOf(sets ...*tensor.Set) *backends.Run {
	seed := int64(7)
	run := &backends.Run{Provenance: backends.Provenance{
		Backend: "onnxruntime", Version: "1.31.1", Provider: "CPUExecutionProvider",
		Model: "digits.onnx", ModelSHA256: "ab12", Inputs: "random, seed 7", Seed: &seed,
		InputsSHA256: "cd34",
		Options:      map[string]string{"threads": "1", "optimization": "all"},
	}}
	for _, s := range sets {
		run.Append(backends.Iteration{Outputs: s, Runtime: 1500 * time.Microsecond})
	}
	return run
}

// setFlag sets a flag of this binary until the spec ends.
func setFlag(name, value string) {
	GinkgoHelper()
	DeferCleanup(flag.Set, name, flag.Lookup(name).Value.String())
	Expect(flag.Set(name, value)).To(Succeed())
}

func temporary(name string) string { return filepath.Join(GinkgoT().TempDir(), name) }

func contents(path string) string {
	GinkgoHelper()
	data, err := os.ReadFile(path)
	Expect(err).NotTo(HaveOccurred())
	return string(data)
}

// passes is a tolerance that takes every file.
func passes(_, _ *backends.Run) (compare.Report, error) {
	return compare.Report{Verdict: compare.Pass}, nil
}

type runPointer = *backends.Run
