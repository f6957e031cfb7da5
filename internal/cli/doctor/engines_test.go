package doctor_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends/process"
	"github.com/modelparity/modelparity/internal/cli/doctor"
	"github.com/modelparity/modelparity/internal/engines"
)

func TestEveryEngineThatIsFetchedIsDescribed(t *testing.T) {
	g := NewWithT(t)
	described := map[string]doctor.Engine{}
	for _, e := range doctor.Engines() {
		g.Expect([]string{e.Name, e.Title, e.Obtain}).NotTo(
			ContainElement(BeEmpty()), e.Title)
		g.Expect(described).NotTo(HaveKey(e.Title), "each engine is described once")
		described[e.Title] = e
	}
	for _, e := range engines.Catalogue() {
		g.Expect(described).To(HaveKey(e.Title))
		g.Expect(described[e.Title].Variable).To(Equal(e.Variable))
		g.Expect(described[e.Title].Obtain).To(ContainSubstring("modelparity setup"))
	}
}

// TestAMissingPackageIsInstalledAsDoctorSays asks a Python that has no packages.
func TestAMissingPackageIsInstalledAsDoctorSays(t *testing.T) {
	g := NewWithT(t)
	bare := filepath.Join(t.TempDir(), "python")
	g.Expect(os.WriteFile(bare, []byte("#!/bin/sh\necho\n"), 0o700)).To(Succeed())
	t.Setenv(process.PythonVariable, bare)
	programs := map[string]process.Option{"onnxreference": process.ONNXReference(),
		"pytorch": process.PyTorch(), "tensorflow": process.TensorFlow(process.AnyTensorFlow),
		"jax": process.JAX()}
	for _, e := range doctor.Engines() {
		if program, is := programs[e.Name]; is {
			install, _, _ := strings.Cut(e.Obtain, ";")
			g.Expect(process.Available(program)).To(MatchError(ContainSubstring(
				"run `" + bare + " -m " + install + "`")))
			delete(programs, e.Name)
		}
	}
	g.Expect(programs).To(BeEmpty())
}

// TestTheTablesOfEnginesSayTheSame compares the tables of docs/engines.md, and README.md's shorter
// one, with the facts.
func TestTheTablesOfEnginesSayTheSame(t *testing.T) {
	tested := map[string]string{}
	for _, e := range engines.Catalogue() {
		tested[e.Title] = e.Version
	}
	short := []string{"ort", "openvino", "trt", "tract", "pytorch"}
	for page, rows := range map[string][]string{
		"../../../README.md":       short,
		"../../../docs/engines.md": append(short, "onnxreference", "tensorflow", "jax"),
	} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range doctor.Engines() {
			if !slices.Contains(rows, e.Name) {
				continue
			}
			g := NewWithT(t)
			row := regexp.MustCompile(`(?m)^\| ` + e.Title + `[ |,].*$`).FindString(string(text))
			g.Expect(row).NotTo(BeEmpty(), "%s has no row for %s", page, e.Title)
			cells := strings.Split(row, "|")
			obtain, _, _ := strings.Cut(e.Obtain, ";")
			obtain, _, _ = strings.Cut(obtain, ",")
			g.Expect(cells[2]).To(ContainSubstring("`"+obtain+"`"), page)
			g.Expect(cells[3]).To(ContainSubstring(tested[e.Title]), page)
			g.Expect(strings.TrimSpace(cells[4])).NotTo(BeEmpty(), page)
		}
	}
}
