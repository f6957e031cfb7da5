// Package conformance_test runs ONNX's node test cases on ONNX Runtime and compares the outputs
// with our matchers. By default it runs a digest of 200 cases; MODELPARITY_ONNX_WHEEL names a wheel
// of onnx with all 1765, as `make conformance` does.
//
// testdata/exceptions.tsv lists all cases known not to pass, with reasons. The suite fails if a
// case outside the list fails or a listed case passes.
package conformance_test

import (
	"fmt"
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/onnxruntime"
)

// wheelVariable names the environment variable for the path of onnx's wheel.
const wheelVariable = "MODELPARITY_ONNX_WHEEL"

func TestConformance(t *testing.T) {
	RegisterFailHandler(Fail)
	archive := os.Getenv(wheelVariable)
	if archive == "" {
		archive = "testdata/digest.zip"
	}
	cases, err := readCases(archive)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := readExceptions("testdata/exceptions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	describe(cases, listed)
	RunSpecs(t, "conformance")
}

// describe makes a spec of every case.
func describe(cases []testCase, listed map[string]exception) {
	reached := map[stage]int{}
	var _ = Describe("ONNX's node test", func() {
		BeforeEach(func() {
			ort.Require(GinkgoT())
			if _, version, _ := onnxruntime.Running(); version != engines.ONNXRuntime.Version {
				Skip("testdata/exceptions.tsv is about ONNX Runtime " + engines.ONNXRuntime.Version +
					", and this is " + version)
			}
		})
		for _, c := range cases {
			It(c.name, c.labels(), func(ctx SpecContext) {
				expected := passes
				reason := "it is not in testdata/exceptions.tsv"
				if e, ok := listed[c.name]; ok && e.holds() {
					expected, reason = e.stage, "testdata/exceptions.tsv says: "+e.reason
				}
				got := onORT.check(ctx, c)
				reached[got.Stage]++
				Expect(got.Stage).To(Equal(expected), "%s\n%s", reason, got.Why)
			})
		}
	})

	var _ = AfterSuite(func() {
		fmt.Printf("\nONNX's node test cases: %d of %d pass; %d do not load, %d do not run, "+
			"%d mismatch\n", reached[passes], len(cases), reached[load], reached[run],
			reached[mismatch])
	})

	var _ = Describe("The list of exceptions", func() {
		It("names only cases that exist", func() {
			if os.Getenv(wheelVariable) == "" {
				Skip("only the wheel holds every case: run make conformance")
			}
			names := map[string]bool{}
			for _, c := range cases {
				names[c.name] = true
			}
			for name := range listed {
				Expect(names).To(HaveKey(name))
			}
			Expect(cases).To(HaveLen(1765))
		})
	})
}
