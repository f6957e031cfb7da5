//go:build linux && cgo

package trt

import (
	"errors"
	"fmt"
	"sync"

	"github.com/modelparity/modelparity/internal/cuda"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/internal/wholefile"
	"github.com/modelparity/modelparity/tensor"
)

// calibrator feeds TensorRT's INT8 calibration with the batches of a fixture. It is nil where
// nothing is calibrated.
type calibrator struct {
	*trtabi.Callback
	calibration
	device  *cuda.Device
	stream  *cuda.Stream
	types   map[string]trtabi.DataType // of the network's inputs
	next    func() (*tensor.Set, error, bool)
	stop    func()
	batch   int
	buffers map[string]*cuda.Buffer

	mu  sync.Mutex
	err error
}

// calibrate sets up calibration if the options ask for it.
func (w *workshop) calibrate(b buildSettings, network trtabi.Network, config trtabi.Config,
	profiles []trtabi.Profile) (*calibrator, error) {
	if len(b.Quantization) > 0 {
		var bits uint32
		for _, name := range b.Quantization {
			bits |= 1 << index(trtabi.QuantizationFlags, name)
		}
		if err := config.SetQuantizationFlags(bits); err != nil {
			return nil, instead(err, quantizeModel)
		}
	}
	if b.Calibration == nil {
		return nil, nil
	}
	c := &calibrator{calibration: *b.Calibration, device: w.device,
		types: map[string]trtabi.DataType{}, buffers: map[string]*cuda.Buffer{}}
	stream, err := w.device.NewStream()
	if err != nil {
		return nil, err
	}
	c.stream = stream
	for _, input := range network.Inputs() {
		c.types[input.Name()] = input.Type()
	}
	c.next, c.stop = pull(c.inputs)
	c.Callback = w.library.Calibrator(c.Algorithm, c)
	err = config.SetCalibrator(c.Callback)
	if err == nil && len(profiles) > 0 {
		err = config.SetCalibrationProfile(profiles[len(profiles)-1]) // Polygraphy's choice
	}
	if err != nil {
		c.Close()
		return nil, instead(err, quantizeModel)
	}
	return c, nil
}

// Close frees what the calibration held. Closing nil is harmless.
func (c *calibrator) Close() {
	if c == nil {
		return
	}
	c.stop()
	for _, buffer := range c.buffers {
		buffer.Close()
	}
	c.stream.Close()
	c.Callback.Close()
}

// Repanic panics again with what the inputs' iterator panicked with.
func (c *calibrator) Repanic() {
	if c != nil {
		c.Callback.Repanic()
	}
}

// failure is why the calibration ended early; nil if it did not.
func (c *calibrator) failure() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// BatchSize is 1: TensorRT asks it for networks without a batch dimension of their own, which
// ONNX models are not.
func (c *calibrator) BatchSize() int { return 1 }

// Quantile and RegressionCutoff are the legacy algorithm's numbers.
func (c *calibrator) Quantile() float64         { return c.calibration.Quantile }
func (c *calibrator) RegressionCutoff() float64 { return c.Cutoff }

// Batch copies the next batch to the GPU.
func (c *calibrator) Batch(names []string) []uintptr {
	addresses, err := c.feed(names)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.err = fmt.Errorf("calibration batch %d: %w", c.batch, err)
		return nil
	}
	c.batch++
	return addresses
}

func (c *calibrator) feed(names []string) ([]uintptr, error) {
	set, err, more := c.next()
	if !more && c.batch == 0 {
		return nil, errors.New("the calibration inputs have no iterations")
	}
	if !more || err != nil {
		return nil, err
	}
	addresses := make([]uintptr, len(names))
	for i, name := range names {
		t, ok := set.Get(name)
		if !ok {
			return nil, fmt.Errorf("there is no input %q, only %s", name, abridged(set.Names()))
		}
		if number, ok := dataTypes[t.ElementType()]; !ok || number != c.types[name] {
			return nil, fmt.Errorf("input %q is %v%v, which is not the network's element type",
				name, t.ElementType(), t.Shape())
		}
		buffer, ok := c.buffers[name]
		if !ok {
			buffer = c.device.NewBuffer()
			c.buffers[name] = buffer
		}
		if err := buffer.Write(t.Bytes(), c.stream); err != nil {
			return nil, err
		}
		addresses[i] = buffer.Address()
	}
	return addresses, nil
}

// ReadCache and WriteCache are the calibration cache's file.
func (c *calibrator) ReadCache() []byte {
	data, err := c.readCache()
	c.keep(err)
	return data
}

func (c *calibrator) WriteCache(data []byte) {
	if c.cache != "" {
		c.keep(wholefile.WriteBytes(c.cache, data))
	}
}

func (c *calibrator) keep(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && err != nil {
		c.err = fmt.Errorf("calibration cache: %w", err)
	}
}
