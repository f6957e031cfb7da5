package openvino

import (
	"fmt"
	"maps"
	"strconv"

	"github.com/modelparity/modelparity/internal/option"
)

// settings contains the values of all options. Encoded as JSON, it is part of the text from which
// another process recreates the engine.
type settings struct {
	Library    string            `json:"library,omitempty"`
	Device     string            `json:"device"`
	Precision  Type              `json:"precision"`
	Mode       Mode              `json:"mode"`
	Threads    int               `json:"threads"`
	Static     bool              `json:"static_shapes,omitempty"`
	Properties map[string]string `json:"properties,omitempty"`
	WarmUp     int               `json:"warm_up,omitempty"`
}

var kind = option.Kind[settings]{Package: backendName, Name: "openvino", Defaults: defaults,
	Check: (*settings).check}

func defaults() settings {
	return settings{Device: CPU, Precision: Float32, Mode: Accuracy, Threads: 1}
}

// check returns an error if options contradict each other.
func (s *settings) check() error {
	if s.Device != CPU && s.Threads != 1 {
		return fmt.Errorf("openvino.Threads applies only to the CPU, but the device is %s; "+
			"drop the option", s.Device)
	}
	return nil
}

// The names of the properties that affect the results.
const (
	inferencePrecision  = "INFERENCE_PRECISION_HINT"
	executionMode       = "EXECUTION_MODE_HINT"
	kvCachePrecision    = "KV_CACHE_PRECISION"
	dynamicQuantization = "DYNAMIC_QUANTIZATION_GROUP_SIZE"
)

// modes maps the modes to their names in OpenVINO and in Go source.
var modes = map[Mode]struct{ hint, text string }{
	Accuracy:    {"ACCURACY", "openvino.Accuracy"},
	Performance: {"PERFORMANCE", "openvino.Performance"},
}

// compile returns the properties with which OpenVINO compiles a model. It leaves out CACHE_DIR, so
// OpenVINO caches nothing on disk.
func (s *settings) compile() map[string]string {
	all := map[string]string{executionMode: modes[s.Mode].hint}
	if hint := types[s.Precision].hint; hint != "" {
		all[inferencePrecision] = hint
	}
	if s.Device == CPU {
		all["INFERENCE_NUM_THREADS"] = strconv.Itoa(s.Threads)
		all["NUM_STREAMS"] = "1"
		// With pinning, the threads of several test binaries would all run on the first cores.
		all["ENABLE_CPU_PINNING"] = "NO"
	}
	maps.Copy(all, s.Properties)
	return all
}
