package pip_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/pip"
)

// The wheel of nothing, and the sum of a file that holds the line "wheel".
var empty = pip.Wheel{
	File:   "some_thing-1.2-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
	SHA256: "9f2be37ef2f1dc5ae9f63f1fc1c9a0dfce6a8a2b85d2b8ab3cb43ee3bd8bb2c5",
}

// recorder is an interpreter that writes down how it is called, into the folder it gives.
func recorder(t *testing.T) (python, notes string) {
	t.Helper()
	notes = t.TempDir()
	python = filepath.Join(t.TempDir(), "python")
	script := "#!/bin/sh\npwd >" + notes + "/folder; ls -A >" + notes + "/files\n" +
		"env >" + notes + "/env; for a; do echo \"$a\"; last=$a; done >" + notes + "/args\n" +
		"cat \"$last\" >" + notes + "/wanted\n"
	NewWithT(t).Expect(os.WriteFile(python, []byte(script), 0o755)).To(Succeed())
	return python, notes
}

// read is what the recorder noted.
func read(t *testing.T, notes, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(notes, name))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return string(text)
}

func TestPipIsToldOneWheelAndItsSum(t *testing.T) {
	g := NewWithT(t)
	python, notes := recorder(t)
	folder := t.TempDir()
	_, err := pip.Download(t.Context(), python, empty, folder)
	g.Expect(err).To(MatchError(ContainSubstring("pip did not save some_thing-1.2-")))
	g.Expect(read(t, notes, "wanted")).To(
		Equal("some_thing==1.2 --hash=sha256:" + empty.SHA256 + "\n"))
	args := strings.Split(read(t, notes, "args"), "\n")
	g.Expect(args[:4]).To(Equal([]string{"-I", "-m", "pip", "download"}))
	g.Expect(args).To(ContainElements("--require-hashes", "--no-deps", "--only-binary=:all:",
		"--ignore-requires-python"))
	joined := strings.Join(args, " ")
	g.Expect(joined).To(ContainSubstring("--implementation cp --python-version 312 --abi cp312 " +
		"--platform manylinux_2_27_x86_64 --platform manylinux_2_28_x86_64 --dest " + folder))
	// The folder it runs in holds nothing but the requirement.
	g.Expect(read(t, notes, "files")).To(Equal("wanted.txt\n"))
}

func TestPipKeepsTheUsersIndexAndNothingThatMisleads(t *testing.T) {
	g := NewWithT(t)
	python, notes := recorder(t)
	t.Setenv("PIP_INDEX_URL", "https://mirror.example/simple")
	t.Setenv("PIP_REQUIREMENT", "evil.txt")
	t.Setenv("PIP_PYTHON", "evil")
	t.Setenv("PIP_NO_BINARY", ":all:")
	_, err := pip.Download(t.Context(), python, empty, t.TempDir())
	g.Expect(err).To(HaveOccurred())
	env := strings.Split(read(t, notes, "env"), "\n")
	g.Expect(env).To(ContainElement("PIP_INDEX_URL=https://mirror.example/simple"))
	g.Expect(env).NotTo(ContainElement(MatchRegexp("^PIP_(REQUIREMENT|PYTHON|NO_BINARY)=")))
}

// A real interpreter runs no pip.py of the folder that it is called in, nor of PYTHONPATH.
func TestPipOfTheFolderIsNotRun(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 on this machine")
	}
	g := NewWithT(t)
	here := t.TempDir()
	t.Chdir(here)
	ran := filepath.Join(here, "ran")
	for _, name := range []string{"pip.py", "sitecustomize.py", "usercustomize.py"} {
		g.Expect(os.WriteFile(name, []byte("open("+`"`+ran+`"`+", 'w')\n"), 0o600)).To(Succeed())
	}
	t.Setenv("PYTHONPATH", here)
	t.Setenv("PIP_NO_INDEX", "1") // the test needs no network: pip is to find nothing
	t.Setenv("PIP_FIND_LINKS", "")
	_, err = pip.Download(t.Context(), python, empty, t.TempDir())
	g.Expect(err).To(HaveOccurred())
	g.Expect(ran).NotTo(BeAnExistingFile())
}

func TestAnotherFileIsRefusedWhateverPipSays(t *testing.T) {
	g := NewWithT(t)
	python := filepath.Join(t.TempDir(), "python")
	script := "#!/bin/sh\nwhile [ \"$1\" != --dest ]; do shift; done; echo fake > \"$2/" +
		empty.File + "\"\n"
	g.Expect(os.WriteFile(python, []byte(script), 0o755)).To(Succeed())
	_, err := pip.Download(t.Context(), python, empty, t.TempDir())
	g.Expect(err).To(MatchError(ContainSubstring("the package index returned a different file")))
}

func TestWheelsThatAreNone(t *testing.T) {
	good := empty.SHA256
	for _, w := range []pip.Wheel{
		{File: "", SHA256: good}, {File: "a.whl", SHA256: good}, {File: "a-1-cp3-x-y.zip", SHA256: good},
		{File: "../a-1-cp3-x-y.whl", SHA256: good}, {File: "-r-1-cp3-x-y.whl", SHA256: good},
		{File: "a-1 --index-url=x-cp3-x-y.whl", SHA256: good}, {File: "a-1\n-cp3-x-y.whl", SHA256: good},
		{File: empty.File, SHA256: ""}, {File: empty.File, SHA256: good[:63]},
		{File: empty.File, SHA256: strings.ToUpper(good)},
	} {
		_, err := pip.Download(context.Background(), "/nonexistent", w, t.TempDir())
		NewWithT(t).Expect(err).To(MatchError(Or(ContainSubstring("is not a wheel's file name"),
			ContainSubstring("is not a sha256"))), "%q", w)
	}
}

func TestAReleaseIsReadFromTheName(t *testing.T) {
	for name, expected := range map[string][2]string{
		empty.File: {"some_thing", "1.2"},
		"openvino-2026.4.1-22982-cp311-cp311-manylinux_2_28_x86_64.whl": {"openvino", "2026.4.1"},
		"six-1.17.0-py3-none-any.whl":                                   {"six", "1.17.0"},
	} {
		project, version := pip.Wheel{File: name}.Release()
		NewWithT(t).Expect([2]string{project, version}).To(Equal(expected))
	}
}
