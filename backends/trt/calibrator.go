//go:build linux && cgo

package trt

import (
	"errors"
	"fmt"

	"github.com/modelparity/modelparity/internal/cuda"
	"github.com/modelparity/modelparity/internal/pull"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/tensor"
)

// calibrator passes batches of inputs to TensorRT's INT8 calibration.
type calibrator struct {
	*trtabi.Callback
	calibrated
	stream *cuda.Stream
	feeds  map[string]*feed // by input
	next   func() (*tensor.Set, error, bool)
	stop   func()
	batch  int
}

// feed is an input of the network during calibration.
type feed struct {
	elem   trtabi.DataType
	shape  tensor.Shape // with the profile's most likely sizes
	buffer *cuda.Buffer
}

// calibrate sets up the calibration if the options require one.
func (c *construction) calibrate() error {
	if len(c.Quantization) > 0 {
		var bits uint32
		for _, name := range c.Quantization {
			bits |= 1 << index(trtabi.QuantizationFlags, name)
		}
		if err := c.config.SetQuantizationFlags(bits); err != nil {
			return instead(err, quantizeModel)
		}
	}
	if c.calibrated == nil {
		return nil
	}
	stream, err := c.device.NewStream()
	if err != nil {
		return err
	}
	k := &calibrator{calibrated: *c.calibrated, stream: stream, feeds: map[string]*feed{}}
	for _, input := range c.network.Inputs() {
		k.feeds[input.Name()] = &feed{input.Type(), input.Shape(), c.device.NewBuffer()}
	}
	if n := len(c.settings.Profiles); n > 0 { // calibration uses the last profile
		for _, r := range c.settings.Profiles[n-1] {
			if f := k.feeds[r.Input]; f != nil && isDynamic(f.shape) && !r.Values {
				f.shape = narrow(r.Opt)
			}
		}
	}
	k.next, k.stop = pull.Pull(k.inputs.All())
	k.Callback = c.library.Calibrator(trtabi.Calibration{Algorithm: k.number(),
		Quantile: k.Quantile, Cutoff: k.Cutoff}, k)
	c.called = append(c.called, k.Callback)
	c.closing = append(c.closing, k.Close)
	err = c.config.SetCalibrator(k.Callback)
	if err == nil && len(c.profiles) > 0 {
		err = c.config.SetCalibrationProfile(c.profiles[len(c.profiles)-1]) // as Polygraphy does
	}
	return instead(err, quantizeModel)
}

// Close frees the calibration's memory.
func (c *calibrator) Close() {
	c.stop()
	for _, f := range c.feeds {
		f.buffer.Close()
	}
	c.stream.Close()
	c.Callback.Close()
}

// Batch copies the next batch to the GPU.
func (c *calibrator) Batch(names []string) []uintptr {
	addresses, err := c.fill(names)
	if err != nil {
		c.fail(fmt.Sprintf("calibration batch %d", c.batch), err)
		return nil
	}
	c.batch++
	return addresses
}

func (c *calibrator) fill(names []string) ([]uintptr, error) {
	set, err, more := c.next()
	if !more && c.batch == 0 {
		return nil, errors.New("the calibration inputs have no iterations")
	}
	if !more || err != nil {
		return nil, err
	}
	addresses := make([]uintptr, len(names))
	for i, name := range names {
		f := c.feeds[name]
		t, ok := set.Get(name)
		if !ok || f == nil {
			return nil, fmt.Errorf("no input %q, got %s", name, abridged(set.Names()))
		}
		of, ok := dataTypes[t.ElementType()]
		if !ok || of.code != f.elem || !t.Shape().Equal(f.shape) {
			return nil, fmt.Errorf("input %q is %v%v; calibration batches must have shape %v, the optimum "+
				"shape of the last profile, and the network's element type",
				name, t.ElementType(), t.Shape(), f.shape)
		}
		if err := f.buffer.Write(t.Bytes(), c.stream); err != nil {
			return nil, err
		}
		addresses[i] = f.buffer.Address()
	}
	return addresses, nil
}

// ReadCache returns the contents of the calibration cache, or nil if there is none.
func (c *calibrator) ReadCache() []byte {
	data, err := c.readCache()
	if err != nil {
		c.fail("calibration cache", err)
	}
	return data
}

// WriteCache writes the calibration cache unless something failed.
func (c *calibrator) WriteCache(data []byte) {
	if c.Cache == "" {
		return
	}
	if err := wholefile.WriteBytes(c.Cache, data); err != nil {
		c.fail("calibration cache", err)
	}
}

// fail records an error, and makes WriteCache write nothing. Otherwise the cache could contain
// wrong scales: TensorRT treats a failed batch as the end of the data, and computes the scales from
// too few batches.
func (c *calibrator) fail(what string, err error) {
	c.Cache = ""
	c.Fail(fmt.Errorf("%s: %w", what, err))
}
