package compare_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/compare"
)

// liveSearch is how long MODELPARITY_LIVE has us search for a disagreement among cases that were
// never drawn before. Without it the spec judges the first cases of one seed, which proves that the
// harness works: a gate must not be a lottery. What a search finds becomes a recorded case.
func liveSearch() (time.Duration, bool) {
	text := os.Getenv("MODELPARITY_LIVE")
	if text == "" {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	Expect(err).NotTo(HaveOccurred(), "MODELPARITY_LIVE is a duration such as 60s")
	return d, true
}

// smokeCases run unless a search was requested.
const smokeCases = 60

// required reports whether MODELPARITY_REQUIRE asks for Polygraphy.
func required() bool {
	for _, name := range strings.Split(os.Getenv("MODELPARITY_REQUIRE"), ",") {
		if name == "polygraphy" || name == "all" {
			return true
		}
	}
	return false
}

// python finds an interpreter with Polygraphy.
func python() (string, bool) {
	candidates := []string{os.Getenv("MODELPARITY_PYTHON"),
		filepath.Join("..", ".venv", "bin", "python"), "python3"}
	for _, p := range candidates {
		if p != "" && exec.Command(p, "-c", "import polygraphy.comparator, numpy").Run() == nil {
			return p, true
		}
	}
	return "", false
}

// worker is one Python process that judges with the real Polygraphy.
type worker struct {
	in      io.WriteCloser
	out     *bufio.Scanner
	command *exec.Cmd
}

func startWorker(python string) *worker {
	w := &worker{command: exec.Command(python, filepath.Join("testdata", "polygraphy", "live.py"))}
	var err error
	w.in, err = w.command.StdinPipe()
	Expect(err).NotTo(HaveOccurred())
	out, err := w.command.StdoutPipe()
	Expect(err).NotTo(HaveOccurred())
	w.command.Stderr = GinkgoWriter
	w.out = bufio.NewScanner(out)
	w.out.Buffer(nil, 1<<24)
	Expect(w.command.Start()).To(Succeed())
	Expect(w.out.Scan()).To(BeTrue(), "the worker did not start")
	AddReportEntry("polygraphy", w.out.Text(), ReportEntryVisibilityFailureOrVerbose)
	return w
}

func (w *worker) stop() {
	Expect(w.in.Close()).To(Succeed())
	Expect(w.command.Wait()).To(Succeed())
}

type answer struct {
	Passed    bool
	Metrics   map[string]string
	Exception string
}

func (w *worker) judge(request []byte) answer {
	_, err := w.in.Write(append(request, '\n'))
	Expect(err).NotTo(HaveOccurred())
	Expect(w.out.Scan()).To(BeTrue(), "the worker died: %v", w.out.Err())
	var got answer
	Expect(json.Unmarshal(w.out.Bytes(), &got)).To(Succeed())
	return got
}

// liveNumber is an environment variable that holds a number, and whether it is set.
func liveNumber(name string) (uint64, bool) {
	text := os.Getenv(name)
	if text == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	Expect(err).NotTo(HaveOccurred(), name)
	return n, true
}

var _ = Describe("the real Polygraphy", func() {
	It("gives our verdict on random tensors", func() {
		interpreter, ok := python()
		if !ok {
			const remedy = "no Python with Polygraphy: pip install polygraphy==0.53.6 numpy, or set " +
				"MODELPARITY_PYTHON"
			if required() {
				Fail(remedy)
			}
			Skip(remedy)
		}
		w := startWorker(interpreter)
		defer w.stop()
		lasting, search := liveSearch()
		seed, given := liveNumber("MODELPARITY_LIVE_SEED")
		switch {
		case given:
		case search:
			seed = uint64(time.Now().UnixNano())
		default:
			seed = 1
		}
		if number, only := liveNumber("MODELPARITY_LIVE_CASE"); only {
			drawLive(seed, number).hold(w)
			return
		}
		number := uint64(0)
		for end := time.Now().Add(lasting); number < smokeCases || time.Now().Before(end); number++ {
			drawLive(seed, number).hold(w)
		}
		AddReportEntry("live cases", fmt.Sprintf("%d, seed %d", number, seed))
	})

	It("is asked for limits that our metrics take", func() {
		for name, check := range liveMetrics {
			for _, value := range []float64{-1, -0.9995, -0.998, 0, 5e-4, 0.9995, 1, 1e300, math.NaN(),
				math.Inf(1), math.Inf(-1)} {
				for _, side := range []float64{-1, 1} {
					limit := liveLimit(rand.New(rand.NewPCG(1, 2)), name, value, side)
					_, err := compare.Prepare(compare.Options{Checks: []compare.Check{check(limit)}})
					Expect(err).NotTo(HaveOccurred(), "%s of %v", name, value)
				}
			}
		}
	})

	It("is named by a disagreement in less than 600 characters", func() {
		c := drawLive(math.MaxUint64, math.MaxUint64)
		c.function = "simple"
		c.params = map[string]any{"infinities_compare_equal": false, "check_error_stat": "quantile",
			"error_quantile": 0.9, "check_shapes": false, "atol": -math.MaxFloat64,
			"rtol": -math.MaxFloat64}
		text := c.text(strings.Repeat("ours\n", 200), "/tmp/"+strings.Repeat("x", 200))
		Expect(len(text)).To(BeNumerically("<", 600))
		Expect(strings.Split(text, "\n")).To(HaveEach(HavePrefix("live: ")))
		Expect(text).To(And(ContainSubstring("MODELPARITY_LIVE_CASE=18446744073709551615"),
			ContainSubstring("quantile"), ContainSubstring("ours ours"),
			ContainSubstring(c.actual.ElementType().String()), ContainSubstring("/tmp/x")))
	})
})
