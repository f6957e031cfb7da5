package ahead_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/ahead"
	"github.com/modelparity/modelparity/internal/enginelock"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/onnxruntime"
)

func TestOnlyARunInThisProcessIsWanted(t *testing.T) {
	for line, want := range map[string]bool{
		"run net.onnx --onnxrt":                       true,
		"run --onnxrt net.onnx --load-outputs a.json": true,
		"":                                       false,
		"run":                                    false,
		"run net.onnx --trt":                     false,
		"run net.onnx --onnxrt --help":           false,
		"run net.onnx --onnxrt -h":               false,
		"run net.onnx --onnxrt --use-subprocess": false,
		"compare a.json b.json":                  false,
		"reduce net.onnx --check polygraphy run {} --onnxrt": false,
	} {
		NewWithT(t).Expect(ahead.Wanted(strings.Fields(line))).To(Equal(want), line)
	}
}

// TestOnlyACheckedLibraryStarts is one test in a process of its own: what one has started never
// ends.
func TestOnlyACheckedLibraryStarts(t *testing.T) {
	g := NewWithT(t)
	published, err := engines.ONNXRuntime.Library()
	if err != nil {
		t.Skipf("%v; run make setup", err)
	}
	if os.Getenv("MODELPARITY_TEST_AHEAD") == "" {
		again := exec.Command(os.Args[0], "-test.run=^TestOnlyACheckedLibraryStarts$")
		again.Env = append(os.Environ(), "MODELPARITY_TEST_AHEAD=1")
		output, err := again.CombinedOutput()
		g.Expect(err).NotTo(HaveOccurred(), string(output))
		return
	}
	others := 0 // what looks like one: the race detector maps memory, too
	if runtime.GOOS == "linux" {
		others = arenas(t)
	}
	data, err := os.ReadFile(published)
	g.Expect(err).NotTo(HaveOccurred())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	t.Setenv(enginelock.Variable, "off")
	t.Setenv(engines.ONNXRuntime.Variable, "")
	path, err := engines.ONNXRuntime.Path()
	g.Expect(err).NotTo(HaveOccurred())
	running := func() string {
		ahead.Begin()
		if runtime.GOOS == "linux" { // a library that is open runs its constructors
			maps, err := os.ReadFile("/proc/self/maps")
			g.Expect(err).NotTo(HaveOccurred())
			opened := strings.Contains(string(maps), "libonnxruntime")
			_, _, runs := onnxruntime.Running()
			g.Expect(opened).To(Equal(runs))
		}
		path, _, _ := onnxruntime.Running()
		return path
	}
	g.Expect(running()).To(BeEmpty(), "there is none")

	g.Expect(os.MkdirAll(filepath.Dir(path), 0o700)).To(Succeed())
	g.Expect(os.WriteFile(path, data, 0o600)).To(Succeed())
	time.Sleep(2100 * time.Millisecond) // until its sum may be kept
	g.Expect(running()).To(BeEmpty(), "nobody has checked it")

	g.Expect(engines.ONNXRuntime.Library()).To(Equal(path))
	info, err := os.Stat(path)
	g.Expect(err).NotTo(HaveOccurred())
	data[len(data)/2] ^= 1
	g.Expect(os.WriteFile(path, data, 0o600)).To(Succeed())
	g.Expect(os.Chtimes(path, info.ModTime(), info.ModTime())).To(Succeed())
	g.Expect(running()).To(BeEmpty(), "it was changed since")
	_, err = engines.ONNXRuntime.Library()
	g.Expect(err).To(MatchError(engines.ErrDamaged))
	g.Expect(running()).To(BeEmpty(), "it is damaged")

	data[len(data)/2] ^= 1
	g.Expect(os.WriteFile(path, data, 0o600)).To(Succeed())
	time.Sleep(2100 * time.Millisecond)
	g.Expect(engines.ONNXRuntime.Library()).To(Equal(path))
	t.Setenv(engines.ONNXRuntime.Variable, "/nowhere/libonnxruntime.so")
	g.Expect(running()).To(BeEmpty(), "another is named")
	t.Setenv(engines.ONNXRuntime.Variable, "")
	locked := filepath.Join(t.TempDir(), "modelparity.lock")
	g.Expect(os.WriteFile(locked, []byte("{"), 0o600)).To(Succeed())
	t.Setenv(enginelock.Variable, locked)
	g.Expect(running()).To(BeEmpty(), "the lock cannot be read")

	t.Setenv(enginelock.Variable, "off")
	done := make(chan string)
	go func() {
		runtime.LockOSThread() // a thread of its own, which is not the first
		done <- running()
	}()
	g.Expect(<-done).To(Equal(path))
	if runtime.GOOS == "linux" {
		g.Expect(arenas(t)).To(Equal(others))
	}
}

var mapping = regexp.MustCompile(`(?m)^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ 00:00 0 *$`)

// arenas counts what glibc takes for the arenas of threads other than the first: 64 MiB each, whose
// beginning may be used.
func arenas(t *testing.T) (n int) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var from, to uint64
	for _, m := range mapping.FindAllStringSubmatch(string(maps), -1) {
		begins, _ := strconv.ParseUint(m[1], 16, 64)
		ends, _ := strconv.ParseUint(m[2], 16, 64)
		switch {
		case m[3] == "rw-p":
			from, to = begins, ends
		case m[3] == "---p" && begins == to && from%(64<<20) == 0 && ends-from == 64<<20:
			n++
		}
	}
	return n
}
