// Package latency measures how long a model takes in an engine, beside how accurate it is, with
// gomega's gmeasure:
//
//	m, err := latency.Measure(ctx, trt.Engine(trt.FP16()), model, inputs, latency.Options{})
//	Expect(err).NotTo(HaveOccurred())
//	latency.Attach(m)
//
// It says nothing of whether that is fast enough, unless the spec does:
//
//	Expect(m.Stats().DurationFor(gmeasure.StatMedian)).To(BeNumerically("<", 5*time.Millisecond))
package latency

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/onsi/gomega/gmeasure"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/memory"
)

// Options say how often a model runs.
type Options struct {
	// WarmUp is how many runs over the inputs do not count, since an engine's first ones are slower:
	// it allocates and tunes as it goes. 0 means 5, and negative none.
	WarmUp int
	// Runs is how many runs over the inputs count. 0 means 30.
	Runs int
}

// Measurement is how long the iterations of a model took, one by one.
type Measurement struct {
	Engine string // with its version, as provenance has it
	Model  string
	WarmUp int
	// Resident is how many bytes the process holds more after the last run than before the engine
	// was opened, and DeviceMemory what one inference takes of a GPU, as TensorRT says. Each is -1
	// where it cannot be had.
	Resident, DeviceMemory int64
	// Experiment holds every duration, in the order of the iterations.
	Experiment *gmeasure.Experiment
}

// name is what the durations are recorded as.
const name = "latency"

// Measure opens the engine once, runs it over the inputs, first without measuring, and closes it.
// What is measured is inference with copying to and from a GPU, and not the making of inputs.
// Cancelling ctx stops it.
//
// Nothing else should run at the time: a Ginkgo spec that measures is Serial, and on a GPU that
// several packages share MODELPARITY_GPU_MEMORY=all keeps others away.
func Measure(ctx context.Context, engine backends.Engine, model fixtures.Declaration,
	inputs fixtures.Inputs, o Options) (m *Measurement, err error) {
	if o.WarmUp == 0 {
		o.WarmUp = 5
	}
	if o.Runs == 0 {
		o.Runs = 30
	}
	if o.Runs < 0 {
		return nil, fmt.Errorf("latency: %d runs; want at least 1", o.Runs)
	}
	runtime.GC()
	before, known := memory.Resident()
	b, err := engine.Open(ctx, model, inputs)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	m = &Measurement{WarmUp: max(o.WarmUp, 0), Resident: -1, DeviceMemory: -1}
	for range m.WarmUp {
		if _, err := b.Run(ctx, inputs); err != nil {
			return nil, fmt.Errorf("latency: while warming up: %w", err)
		}
	}
	for range o.Runs {
		run, err := b.Run(ctx, inputs)
		if err != nil {
			return nil, fmt.Errorf("latency: %w", err)
		}
		if m.Experiment == nil {
			m.Engine, m.Model = run.Provenance.String(), run.Provenance.Model
			m.Experiment = gmeasure.NewExperiment(m.Model + " in " + m.Engine)
		}
		for _, iteration := range run.Iterations() {
			if iteration.Runtime < 0 {
				return nil, fmt.Errorf("latency: %s does not say how long it took", m.Engine)
			}
			m.Experiment.RecordDuration(name, iteration.Runtime)
		}
	}
	if after, ok := memory.Resident(); known && ok {
		m.Resident = max(0, int64(after)-int64(before)) //nolint:gosec // no machine has 2^63 bytes
	}
	if teller, ok := b.(backends.MemoryTeller); ok {
		if m.DeviceMemory, err = teller.DeviceMemory(); err != nil {
			m.DeviceMemory = -1 // what this version does not tell is no reason to lose the rest
		}
	}
	return m, nil
}

// Stats are the statistics of the durations.
func (m *Measurement) Stats() gmeasure.Stats { return m.Experiment.GetStats(name) }

// String is one line: "digits.onnx in onnxruntime 1.24.4: median 1.2ms, min 1.1ms, max 1.9ms, 30
// iterations after 5 runs to warm up, 3.1 MB of memory".
func (m *Measurement) String() string {
	s := m.Stats()
	d := func(stat gmeasure.Stat) time.Duration { return s.DurationFor(stat).Round(time.Microsecond) }
	text := fmt.Sprintf("%s in %s: median %v, min %v, max %v, %d iterations after %d runs to warm up",
		m.Model, m.Engine, d(gmeasure.StatMedian), d(gmeasure.StatMin), d(gmeasure.StatMax), s.N,
		m.WarmUp)
	if m.Resident >= 0 {
		text += fmt.Sprintf(", %.1f MB of memory", float64(m.Resident)/1e6)
	}
	if m.DeviceMemory >= 0 {
		text += fmt.Sprintf(", %.1f MB of the device's an inference", float64(m.DeviceMemory)/1e6)
	}
	return text
}
