package latency_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gmeasure"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/report/latency"
	"github.com/modelparity/modelparity/tensor"
)

func TestLatency(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "report/latency")
}

// clock is an engine that says how long its iterations took, and notes what is done to it.
type clock struct {
	runs, closed int
	took         func(run int) time.Duration
	fails        error
}

func (*clock) Text() string     { return "clock" }
func (*clock) String() string   { return "clock" }
func (*clock) GoString() string { return "clock" }
func (c *clock) Open(context.Context, fixtures.Declaration, fixtures.Inputs) (backends.Backend,
	error) {
	return c, nil
}
func (c *clock) Close() error { c.closed++; return nil }
func (c *clock) Run(ctx context.Context, _ fixtures.Inputs) (*backends.Run, error) {
	c.runs++
	if c.fails != nil || ctx.Err() != nil {
		return nil, errors.Join(c.fails, ctx.Err())
	}
	run := &backends.Run{Provenance: backends.Provenance{Backend: "clock", Version: "1", Model: "m"}}
	set, err := tensor.NewSet(tensor.Entry{Name: "y", Tensor: tensor.Of(1.)})
	if err != nil {
		return nil, err
	}
	run.Append(backends.Iteration{Outputs: set, Runtime: c.took(c.runs)})
	return run, nil
}

// hoarder is such an engine that keeps memory, and tells what it takes of a device's.
type hoarder struct {
	clock
	memory []byte
	silent bool
}

// kept is how many bytes it keeps from its first run on.
const kept = 64 << 20

func (h *hoarder) Open(context.Context, fixtures.Declaration, fixtures.Inputs) (backends.Backend,
	error) {
	return h, nil
}

func (h *hoarder) Run(ctx context.Context, inputs fixtures.Inputs) (*backends.Run, error) {
	if h.memory == nil {
		h.memory = make([]byte, kept)
		for i := range h.memory {
			h.memory[i] = 1
		}
	}
	return h.clock.Run(ctx, inputs)
}

func (h *hoarder) DeviceMemory() (int64, error) {
	if h.silent {
		return 0, errors.New("not in this version")
	}
	return 5_000_000, nil
}

var _ = Describe("Measure", func() {
	milliseconds := func(run int) time.Duration { return time.Duration(run) * time.Millisecond }

	It("counts the iterations after those that warm up, in one opened engine", func(ctx SpecContext) {
		c := &clock{took: milliseconds}
		m, err := latency.Measure(ctx, c, nil, fixtures.Inputs{}, latency.Options{WarmUp: 2, Runs: 3})
		Expect(err).NotTo(HaveOccurred())
		Expect([]int{c.runs, c.closed}).To(HaveExactElements(5, 1))
		s := m.Stats()
		Expect(s.N).To(Equal(3))
		Expect(s.DurationFor(gmeasure.StatMedian)).To(Equal(4 * time.Millisecond))
		m.Resident = -1 // which Linux knows
		Expect(m.String()).To(Equal("m in clock 1: median 4ms, min 3ms, max 5ms, 3 iterations after " +
			"2 runs to warm up"))
		latency.Attach(m)
		entries := CurrentSpecReport().ReportEntries
		Expect(entries).To(HaveLen(1))
		Expect(entries[0].Value.String()).To(Equal(m.String()))
		text, err := json.Marshal(entries[0].Value.GetRawValue())
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(MatchJSON(`{"engine":"clock 1","model":"m","warm_up":2,"iterations":3,
			"min":3000000,"median":4000000,"mean":4000000,"standard_deviation":816496,"max":5000000}`))
	})

	It("tells the memory that an engine takes, where that can be had", func(ctx SpecContext) {
		hoard := &hoarder{clock: clock{took: milliseconds}}
		m, err := latency.Measure(ctx, hoard, nil, fixtures.Inputs{}, latency.Options{Runs: 2})
		Expect(err).NotTo(HaveOccurred())
		Expect(m.DeviceMemory).To(BeEquivalentTo(5_000_000))
		Expect(m.String()).To(HaveSuffix(", 5.0 MB of the device's an inference"))
		text, err := json.Marshal(m)
		Expect(err).NotTo(HaveOccurred())
		Expect(text).To(ContainSubstring(`"device_memory_bytes":5000000`))
		if runtime.GOOS == "linux" {
			Expect(m.Resident).To(BeNumerically(">", kept/2))
			Expect(m.String()).To(MatchRegexp(`, \d+\.\d MB of memory, `))
			Expect(text).To(ContainSubstring(`"resident_bytes":`))
		}
		Expect(hoard.memory).To(HaveLen(kept))

		hoard.silent = true
		m, err = latency.Measure(ctx, hoard, nil, fixtures.Inputs{}, latency.Options{Runs: 2})
		Expect(err).NotTo(HaveOccurred())
		Expect(m.DeviceMemory).To(BeEquivalentTo(-1))
		Expect(m.String()).NotTo(ContainSubstring("device"))
	})

	It("warms up with 5 runs and counts 30 unless told otherwise", func(ctx SpecContext) {
		c := &clock{took: milliseconds}
		_, err := latency.Measure(ctx, c, nil, fixtures.Inputs{}, latency.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(c.runs).To(Equal(35))
		c = &clock{took: milliseconds}
		m, err := latency.Measure(ctx, c, nil, fixtures.Inputs{}, latency.Options{WarmUp: -1, Runs: 1})
		Expect(err).NotTo(HaveOccurred())
		Expect(c.runs).To(Equal(1))
		Expect(m.WarmUp).To(BeZero())
	})

	It("fails where nothing can be measured, and closes the engine", func(ctx SpecContext) {
		c := &clock{took: func(int) time.Duration { return -1 }}
		_, err := latency.Measure(ctx, c, nil, fixtures.Inputs{}, latency.Options{})
		Expect(err).To(MatchError("latency: clock 1 does not say how long it took"))
		Expect(c.closed).To(Equal(1))
		c = &clock{fails: errors.New("out of memory")}
		_, err = latency.Measure(ctx, c, nil, fixtures.Inputs{}, latency.Options{})
		Expect(err).To(MatchError("latency: while warming up: out of memory"))
		Expect(c.closed).To(Equal(1))
		_, err = latency.Measure(ctx, c, nil, fixtures.Inputs{}, latency.Options{Runs: -1})
		Expect(err).To(MatchError("latency: -1 runs; want at least 1"))
		stopped, stop := context.WithCancel(ctx)
		stop()
		_, err = latency.Measure(stopped, &clock{took: milliseconds}, nil, fixtures.Inputs{},
			latency.Options{})
		Expect(err).To(MatchError(context.Canceled))
	})
})
