//go:build linux && cgo

package trt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/backends"
)

// provenance is what every run of an engine says about itself: TensorRT, the GPU, and the options
// that decide the numbers, by the names they have in this package.
func provenance(m machine, s settings, name, sum string) backends.Provenance {
	options := map[string]string{
		"cuda driver":        m.device.Driver().Version(),
		"compute capability": m.device.Capability(),
	}
	for flag, on := range s.build.Flags {
		if flag != "TF32" || on {
			options[strings.ToLower(flag)] = strconv.FormatBool(on)
		}
	}
	for i, ranges := range s.build.Profiles {
		texts := make([]string, 0, len(ranges))
		for _, r := range ranges {
			if !s.build.Derived || !r.Values {
				texts = append(texts, r.String())
			}
		}
		text := strings.Join(texts, " ")
		if s.build.Derived {
			text += " (derived from the inputs)"
		}
		options[fmt.Sprintf("profile %d", i)] = text
	}
	if s.run.profile != 0 {
		options["profile"] = strconv.Itoa(s.run.profile)
	}
	if c := s.build.Calibration; c != nil {
		options["calibration"] = c.Digest
	}
	for key, value := range s.build.others() {
		options[key] = value
	}
	return backends.Provenance{Backend: "tensorrt", Version: m.library.Version().String(),
		Provider: m.device.Name(), Model: name, ModelSHA256: sum, Options: options}
}

// others is the remaining settings of a build, as JSON has them.
func (b buildSettings) others() map[string]string {
	said := []string{"flags", "profiles", "calibration", "plugins"} // paths differ by machine
	fields := map[string]json.RawMessage{}
	text, err := json.Marshal(b)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err != nil {
		panic(err) // plain fields always have JSON
	}
	values := map[string]string{}
	for key, value := range fields {
		if text := string(value); text != "{}" && !slices.Contains(said, key) {
			values[strings.ReplaceAll(key, "_", " ")] = strings.Trim(text, `"`)
		}
	}
	return values
}
