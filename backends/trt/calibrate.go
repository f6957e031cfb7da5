package trt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/internal/trtabi"
)

// Calibration is how INT8 scales are found: see [Calibrate].
type Calibration func(*calibration)

type calibration struct {
	Algorithm trtabi.Algorithm `json:"algorithm"`
	Quantile  float64          `json:"quantile,omitempty"` // of the legacy algorithm
	Cutoff    float64          `json:"cutoff,omitempty"`
	Digest    string           `json:"digest,omitempty"` // of the inputs, or of the cache's file

	inputs fixtures.Inputs
	given  bool
	cache  string
}

// INT8 lets layers compute in 8-bit integers (TensorRT 10). A model with QuantizeLinear nodes
// needs nothing more; any other needs [Calibrate], whose inputs the network is fed with to find
// the range of every tensor.
func INT8(how ...Calibration) Option {
	return func(s *settings) {
		BuilderFlag("INT8", true)(s)
		if len(how) == 0 {
			return
		}
		c := &calibration{Algorithm: trtabi.Entropy2}
		for _, f := range how {
			f(c)
		}
		if !c.given && c.cache == "" {
			s.fail("INT8 calibration needs Calibrate(inputs) or a CalibrationCache")
		}
		s.build.Calibration = c
	}
}

// Calibrate is the inputs of INT8 calibration, one batch per iteration, all of one shape. The
// algorithm is TensorRT's entropy calibration 2 unless another option says otherwise.
func Calibrate(inputs fixtures.Inputs) Calibration {
	return func(c *calibration) { c.inputs, c.given = inputs, true }
}

// CalibrationCache names the file of a calibration cache: it is used instead of the inputs if it
// is there, and written otherwise.
func CalibrationCache(path string) Calibration { return func(c *calibration) { c.cache = path } }

// MinMax calibrates by the smallest and largest values seen.
func MinMax() Calibration { return func(c *calibration) { c.Algorithm = trtabi.MinMax } }

// Entropy calibrates by TensorRT's first entropy algorithm.
func Entropy() Calibration { return func(c *calibration) { c.Algorithm = trtabi.Entropy } }

// Legacy calibrates by the quantile of the values seen and the cutoff of the regression that
// continues it, both in [0,1]; Polygraphy takes 0.5 for both.
func Legacy(quantile, regressionCutoff float64) Calibration {
	return func(c *calibration) {
		c.Algorithm, c.Quantile, c.Cutoff = trtabi.Legacy, quantile, regressionCutoff
	}
}

// QuantizationFlags sets options of INT8 calibration: "CALIBRATE_BEFORE_FUSION" (TensorRT 10).
func QuantizationFlags(names ...string) Option {
	return func(s *settings) {
		for _, name := range names {
			flag := s.enumerator("quantization flag", name, trtabi.QuantizationFlags)
			s.build.Quantization = append(s.build.Quantization, flag)
		}
	}
}

// digest fills in what identifies the calibration's data, for the engine's key.
func (c *calibration) digest() error {
	if c == nil {
		return nil
	}
	hash := sha256.New()
	if data, err := c.readCache(); err != nil || data != nil {
		hash.Write(data)
		c.Digest = "cache " + hex.EncodeToString(hash.Sum(nil))
		return err
	}
	batches := 0
	for set, err := range c.inputs.All() {
		if err != nil {
			return fmt.Errorf("calibration batch %d: %w", batches, err)
		}
		for name, t := range set.All() {
			fmt.Fprintf(hash, "%q %v %v\n", name, t.ElementType(), t.Shape())
			hash.Write(t.Bytes())
		}
		batches++
	}
	if batches == 0 {
		return fmt.Errorf("the calibration inputs have no iterations, and there is no cache %q",
			c.cache)
	}
	c.Digest = "inputs " + hex.EncodeToString(hash.Sum(nil))
	return nil
}

// readCache is the calibration cache's bytes; nil where there is none.
func (c *calibration) readCache() ([]byte, error) {
	if c.cache == "" {
		return nil, nil
	}
	data, err := os.ReadFile(c.cache)
	if os.IsNotExist(err) || err == nil && len(data) == 0 {
		return nil, nil
	}
	return data, err
}
