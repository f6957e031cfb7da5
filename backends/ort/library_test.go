//go:build cgo

package ort

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/internal/sharedlib"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/pip"
)

// The search is specified from inside the package and in plain testing, because it is over once a
// process has found a library. The libraries are made here, of a few lines of C; nothing runs on
// them.

// library compiles a shared library that says it is ONNX Runtime of that version. An empty version
// makes one that is something else.
func library(t *testing.T, path, version string) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), "library.c")
	code := "int answer;\n"
	if version != "" {
		code = fmt.Sprintf(`static const char *version(void) { return %q; }
static const void *api(unsigned version) { return 0; }
static const struct { const void *a, *b; } base = { (void *)api, (void *)version };
const void *OrtGetApiBase(void) { return &base; }
`, version)
	}
	NewWithT(t).Expect(os.WriteFile(source, []byte(code), 0o600)).To(Succeed())
	NewWithT(t).Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
	output, err := exec.Command("cc", "-shared", "-fPIC", "-o", path, source).CombinedOutput()
	NewWithT(t).Expect(err).NotTo(HaveOccurred(), "%s", output)
	return path
}

// bareMachine is an environment in which nothing is found.
func bareMachine(t *testing.T) {
	t.Helper()
	t.Setenv(engines.ONNXRuntime.Variable, "")
	t.Setenv(enginelock.Variable, "off")
	t.Setenv("VIRTUAL_ENV", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
}

// interpreter is a python3 on the search path that knows an onnxruntime package in folder.
func interpreter(t *testing.T, path, folder string) {
	t.Helper()
	script := "#!/bin/sh\necho '" + folder + "'\n"
	NewWithT(t).Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
	NewWithT(t).Expect(os.WriteFile(path, []byte(script), 0o755)).To(Succeed())
}

// locked writes a lock, and has this process read it, that names an ONNX Runtime of which the
// library at path is a copy; it gives where setup would put that one.
func locked(t *testing.T, version, path string, accepted ...string) string {
	t.Helper()
	g := NewWithT(t)
	sum := func(path string) string {
		sum, err := engines.Sum(path)
		g.Expect(err).NotTo(HaveOccurred())
		return sum
	}
	engine := engines.ONNXRuntime
	engine.Version = version
	engine.Packages = map[string]engines.Package{engines.Platform(): {
		Wheel:   pip.Wheel{File: "onnxruntime-" + version + "-py3-none-any.whl", SHA256: sum(path)},
		Files:   []engines.File{{Member: "libonnxruntime.so", SHA256: sum(path)}},
		Library: "libonnxruntime.so",
	}}
	entry := enginelock.Entry{Engine: engine}
	for _, path := range accepted {
		entry.Accepted = append(entry.Accepted, enginelock.Accepted{Platform: engines.Platform(),
			File: filepath.Base(path), SHA256: sum(path)})
	}
	file := filepath.Join(t.TempDir(), enginelock.Name)
	g.Expect(enginelock.Lock{Engines: []enginelock.Entry{entry}}.Write(file)).Error().To(Succeed())
	t.Setenv(enginelock.Variable, file)
	cached, err := engine.Path()
	g.Expect(err).NotTo(HaveOccurred())
	return cached
}

// found returns the library that the search finds, of those that exist. It starts none.
func found(option string) (path string, err error) {
	err = find(option, func(candidate string) error {
		path = candidate
		_, err := os.Stat(candidate)
		return err
	})
	return path, err
}

// alone reports whether this process runs only the test t, and has therefore not started a library.
// If it runs other tests too, alone runs t in a process of its own.
func alone(t *testing.T) bool {
	t.Helper()
	const inChild = "MODELPARITY_TEST_ALONE"
	if os.Getenv(inChild) != "" {
		return true
	}
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), inChild+"=1")
	output, err := child.CombinedOutput()
	NewWithT(t).Expect(err).NotTo(HaveOccurred(), "%s", output)
	NewWithT(t).Expect(string(output)).To(ContainSubstring("--- PASS: " + t.Name()))
	return false
}

func TestSearchOrder(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	option := library(t, filepath.Join(folder, "option.so"), "1.30.0")
	variable := library(t, filepath.Join(folder, "variable.so"), "1.30.1")
	active := library(t, filepath.Join(folder, "active/capi/libonnxruntime.so.1.25.0"), "1.25.0")
	installed := library(t, filepath.Join(folder, "site/capi/libonnxruntime.so.1.26.0"), "1.26.0")
	fetched := library(t, filepath.Join(folder, "fetched.so"), "1.31.0")

	bareMachine(t)
	t.Setenv(engines.ONNXRuntime.Variable, variable)
	t.Setenv("VIRTUAL_ENV", filepath.Join(folder, "env"))
	interpreter(t, filepath.Join(folder, "env/bin/python"), filepath.Join(folder, "active"))
	t.Setenv("PATH", filepath.Join(folder, "bin"))
	interpreter(t, filepath.Join(folder, "bin/python3"), filepath.Join(folder, "site"))
	cache := locked(t, "1.31.0", fetched, option, variable, active, installed)
	g.Expect(os.MkdirAll(filepath.Dir(cache), 0o755)).To(Succeed())
	g.Expect(os.Rename(fetched, cache)).To(Succeed())

	lock := os.Getenv(enginelock.Variable)
	for _, lock := range []string{lock, "off"} { // without a lock the order is the same
		t.Setenv(enginelock.Variable, lock)
		t.Setenv(engines.ONNXRuntime.Variable, variable)
		g.Expect(found(option)).To(Equal(option))
		g.Expect(found("")).To(Equal(variable))
	}
	t.Setenv(engines.ONNXRuntime.Variable, "")
	g.Expect(found("")).To(Equal(active), "the cache has no "+engines.ONNXRuntime.Version)
	t.Setenv(enginelock.Variable, lock)
	g.Expect(found("")).To(Equal(cache))
	g.Expect(os.Remove(cache)).To(Succeed())
	g.Expect(found("")).To(Equal(active))
	t.Setenv("VIRTUAL_ENV", "")
	g.Expect(found("")).To(Equal(installed))
}

func TestALockRefusesEveryOtherLibrary(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	other := library(t, filepath.Join(folder, "other.so"), "1.31.2")
	installed := library(t, filepath.Join(folder, "site/capi/libonnxruntime.so.1.31.1"), "1.31.1")
	wanted := library(t, filepath.Join(folder, "wanted.so"), "1.31.0")
	damaged := library(t, filepath.Join(folder, "damaged.so"), "1.31.0-damaged")
	bareMachine(t)
	t.Setenv("PATH", filepath.Join(folder, "bin"))
	interpreter(t, filepath.Join(folder, "bin/python3"), filepath.Join(folder, "site"))
	cache := locked(t, "1.31.0", wanted)
	lock := os.Getenv(enginelock.Variable)

	var missing *backends.Missing
	refused := And(ContainSubstring(other+" (sha256 "), ContainSubstring(
		") is not the ONNX Runtime 1.31.0 that "+lock+" lists; run `"+engines.Command()+
			" setup` to fetch that release"))
	_, err := found(other)
	g.Expect(err).To(MatchError(And(HavePrefix("ONNX Runtime cannot be used: ort.Library: "),
		refused)))
	g.Expect(errors.As(err, &missing)).To(BeFalse(), "another engine must not skip a spec")
	t.Setenv(engines.ONNXRuntime.Variable, other)
	_, err = found("")
	g.Expect(err).To(MatchError(And(
		HavePrefix("ONNX Runtime cannot be used: "+engines.ONNXRuntime.Variable), refused)))
	g.Expect(errors.As(err, &missing)).To(BeFalse())

	// One that was only found is passed over, with the reason.
	t.Setenv(engines.ONNXRuntime.Variable, "")
	_, err = found("")
	g.Expect(err).To(MatchError(ContainSubstring(installed + " (sha256 ")))
	g.Expect(errors.As(err, &missing)).To(BeTrue())

	// The cache's library has the locked release's place and not its bytes.
	g.Expect(os.MkdirAll(filepath.Dir(cache), 0o755)).To(Succeed())
	g.Expect(os.Rename(damaged, cache)).To(Succeed())
	_, err = found("")
	g.Expect(err).To(MatchError(And(HavePrefix("ONNX Runtime cannot be used: ONNX Runtime 1.31.0 in "+
		"the cache is damaged: "+cache), ContainSubstring("/cmd/modelparity setup --onnxrt`"))))
	g.Expect(errors.As(err, &missing)).To(BeFalse())
}

func TestALockPinsPlugins(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	engine := library(t, filepath.Join(folder, "engine.so"), "1.31.0")
	allowed := library(t, filepath.Join(folder, "allowed.so"), "a")
	other := library(t, filepath.Join(folder, "other.so"), "b")
	bareMachine(t)
	g.Expect(admit(other)).To(Succeed(), "there is no lock")

	locked(t, "1.31.0", engine, allowed)
	g.Expect(admit(allowed)).To(Succeed())
	refused := MatchError(And(ContainSubstring(other+" (sha256 "), ContainSubstring(
		") is a plug-in that "+os.Getenv(enginelock.Variable)+" does not list; run `"+engines.Command()+
			" setup --accept onnxruntime="+other+"` to allow this library too")))
	g.Expect(admit(other)).To(refused)
	_, err := kind.List(PluginEP(other)).Settings()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect((&plugin{Path: other}).plug()).Error().To(refused, "before it is opened")

	// A lock that lists the WebGPU plug-in alone refuses other plug-ins, too.
	accepted := enginelock.Accepted{Platform: engines.Platform(), File: "allowed.so"}
	accepted.SHA256, err = engines.Sum(allowed)
	g.Expect(err).NotTo(HaveOccurred())
	lock := enginelock.Lock{Engines: []enginelock.Entry{{Engine: engines.WebGPU,
		Accepted: []enginelock.Accepted{accepted}}}}
	g.Expect(lock.Write(os.Getenv(enginelock.Variable))).Error().To(Succeed())
	g.Expect(admit(allowed)).To(Succeed())
	g.Expect(admit(other)).To(MatchError(ContainSubstring(
		"does not list; run `" + engines.Command() + " setup --accept onnxruntime_ep_webgpu=" + other +
			"`")))
}

func TestADamagedLibraryOfTheCacheIsNeverOpened(t *testing.T) {
	g := NewWithT(t)
	other := library(t, filepath.Join(t.TempDir(), "other.so"), engines.ONNXRuntime.Version)
	bareMachine(t)
	cache, err := engines.ONNXRuntime.Path()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.MkdirAll(filepath.Dir(cache), 0o755)).To(Succeed())
	g.Expect(os.Rename(other, cache)).To(Succeed())
	_, err = found("")
	g.Expect(err).To(MatchError(ErrNoLibrary))
	g.Expect(err).To(MatchError(engines.ErrDamaged))
}

func TestSearchFindsNothing(t *testing.T) {
	g := NewWithT(t)
	bareMachine(t)
	_, err := found("")
	g.Expect(err).To(MatchError("ort is missing: no ONNX Runtime in the cache, in a Python package " +
		"or on the loader's path; run `go run github.com/modelparity/modelparity/cmd/modelparity " +
		"setup --onnxrt`, or `pip install onnxruntime==1.31.1`, or set " +
		"ONNXRUNTIME_SHARED_LIBRARY_PATH to the library's path"))
	g.Expect(err).To(MatchError(ErrNoLibrary))
	var missing *backends.Missing
	g.Expect(err).To(BeAssignableToTypeOf(&sharedlib.Missing{}))
	g.Expect(errors.As(err, &missing)).To(BeTrue())
	g.Expect(missing.Backend).To(Equal("ort"))
}

func TestSearchPassesOverWhatIsTooOld(t *testing.T) {
	if !alone(t) {
		return
	}
	g := NewWithT(t)
	folder := t.TempDir()
	old := library(t, filepath.Join(folder, "site/capi/libonnxruntime.so.1.23.2"), "1.23.2")
	bareMachine(t)
	t.Setenv("PATH", filepath.Join(folder, "bin"))
	interpreter(t, filepath.Join(folder, "bin/python3"), filepath.Join(folder, "site"))
	err := find("", func(path string) error {
		if !filepath.IsAbs(path) {
			return errors.New("the system's loader knows none")
		}
		return onnxruntime.Start(path)
	})
	g.Expect(err).To(MatchError(HavePrefix(
		"ort is missing: " + old + " is ONNX Runtime 1.23.2, but 1.24 or later is needed; run")))
}

func TestNamedLibraryThatCannotBeUsedIsAnError(t *testing.T) {
	if !alone(t) {
		return
	}
	folder := t.TempDir()
	other := library(t, filepath.Join(folder, "other.so"), "")
	old := library(t, filepath.Join(folder, "old.so"), "1.19.2")
	odd := library(t, filepath.Join(folder, "odd.so"), "nightly")
	absent := filepath.Join(folder, "absent.so")
	for path, reason := range map[string]string{
		absent: "cannot be opened: ",
		other:  "is not ONNX Runtime: it has no OrtGetApiBase",
		old:    "is ONNX Runtime 1.19.2, but 1.24 or later is needed",
		odd:    "is ONNX Runtime nightly, but 1.24 or later is needed",
	} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			g := NewWithT(t)
			var missing *backends.Missing
			err := find(path, onnxruntime.Start)
			g.Expect(err).To(MatchError(And(HavePrefix("ONNX Runtime cannot be used: "+
				"ort.Library: "+path), ContainSubstring(reason))))
			g.Expect(errors.As(err, &missing)).To(BeFalse(), "a wrong path must not skip a spec")
			t.Setenv(engines.ONNXRuntime.Variable, path)
			err = find("", onnxruntime.Start)
			g.Expect(err).To(MatchError(And(HavePrefix("ONNX Runtime cannot be used: "+
				engines.ONNXRuntime.Variable+": "+path), ContainSubstring(reason),
				HaveSuffix("; name a different libonnxruntime or none; without a name, modelparity "+
					"searches for one"))))
			g.Expect(err).To(MatchError(ErrNoLibrary))
		})
	}
}

func TestNeedFailsForALibraryThatIsWrong(t *testing.T) {
	g := NewWithT(t)
	if os.Getenv("MODELPARITY_TEST_WRONG") != "" {
		Require(t)
		return
	}
	absent := filepath.Join(t.TempDir(), "absent.so")
	again := exec.Command(os.Args[0], "-test.run=^TestNeedFailsForALibraryThatIsWrong$")
	again.Env = append(os.Environ(), "MODELPARITY_TEST_WRONG=1",
		engines.ONNXRuntime.Variable+"="+absent)
	output, err := again.CombinedOutput()
	g.Expect(err).To(HaveOccurred())
	g.Expect(string(output)).To(ContainSubstring(
		"ONNX Runtime cannot be used: ONNXRUNTIME_SHARED_LIBRARY_PATH: " + absent))
}
