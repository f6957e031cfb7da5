package trt

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/inputsum"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/trtabi"
	"github.com/modelparity/modelparity/loaders"
)

// calibrated contains the options and the data with which a model is calibrated.
type calibrated struct {
	calibration
	inputs fixtures.Inputs
	digest string // of the inputs or of the cache file
}

// errUncalibrated is the error for INT8 if neither the model nor a calibration supplies scales.
var errUncalibrated = errors.New("INT8 needs scales, but the model has no QuantizeLinear or " +
	"DequantizeLinear nodes and there are no calibration inputs; set trt.Calibrate, or " +
	"trt.CalibrationCache with an existing file")

// calibration returns the calibration of a model. It returns nil if INT8 is off or if the model has
// its own scales.
func (s *settings) calibration(model *loaders.Model, inputs fixtures.Inputs) (*calibrated, error) {
	if !s.Flags[flagINT8] {
		return nil, nil
	}
	if quantized, err := isQuantized(model); quantized || err != nil {
		return nil, err
	}
	c := &calibrated{calibration: s.INT8, inputs: inputs}
	if s.calibrate != nil {
		c.inputs = *s.calibrate
	}
	return c, c.sum()
}

// isQuantized reports whether a model has its own INT8 scales.
func isQuantized(model *loaders.Model) (bool, error) {
	nodes, err := model.Nodes()
	return slices.ContainsFunc(nodes, func(n loaders.Node) bool {
		return n.Op == "QuantizeLinear" || n.Op == "DequantizeLinear"
	}), err
}

// sum computes the digest of the calibration data.
func (c *calibrated) sum() error {
	if data, err := c.readCache(); err != nil || data != nil {
		c.digest = fmt.Sprintf("cache %x", sha256.Sum256(data))
		return err
	}
	batches, digest := 0, inputsum.New()
	for set, err := range c.inputs.All() {
		if err != nil {
			return fmt.Errorf("calibration batch %d: %w", batches, err)
		}
		digest.Add(set)
		batches++
	}
	if batches == 0 {
		return errUncalibrated
	}
	c.digest = "inputs " + digest.Sum()
	return nil
}

// readCache returns the contents of the calibration cache, or nil if there is none.
func (c calibration) readCache() ([]byte, error) {
	if c.Cache == "" {
		return nil, nil
	}
	data, err := regular.Read(c.Cache)
	if os.IsNotExist(err) || err == nil && len(data) == 0 {
		return nil, nil
	}
	return data, err
}

// number returns TensorRT's number for the calibration algorithm.
func (c calibration) number() trtabi.Algorithm {
	if c.Algorithm == "" {
		return trtabi.Entropy2
	}
	return trtabi.Algorithm(index(calibrationAlgorithms, c.Algorithm))
}
