//go:build linux && cgo

package trt

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/backends"
)

// provenance returns the part of the provenance that all runs of an engine share: the version of
// TensorRT, the GPU, and the options that affect the results, by their names in this package. sum
// is the model's checksum.
func (o *order) provenance(m machine, sum string) backends.Provenance {
	options := map[string]string{
		"cuda driver":        m.device.Driver.Version,
		"compute capability": m.device.Capability,
	}
	for flag, on := range o.Flags {
		if flag != flagTF32 || on {
			options[strings.ToLower(flag)] = strconv.FormatBool(on)
		}
	}
	for i, ranges := range o.Profiles {
		options[fmt.Sprintf("profile %d", i)] = o.profileText(ranges)
	}
	if o.Profile != 0 {
		options["profile"] = strconv.Itoa(o.Profile)
	}
	if c := o.calibrated; c != nil {
		options["calibration"] = c.digest
	}
	if o.INT8.Algorithm != "" {
		options["calibration algorithm"] = o.INT8.Algorithm
	}
	if o.replaySum != "" {
		options["replay"] = o.replaySum
	}
	maps.Copy(options, o.others())
	p := backends.Provenance{Backend: "tensorrt", Version: m.library.Version().String(),
		Provider: m.device.Name, ModelSHA256: sum, Options: options}
	if o.model != nil {
		p.Model = o.model.Name()
	}
	return p
}

// profileText returns a profile in the syntax of Polygraphy's flags.
func (o *order) profileText(ranges []ProfileRange) string {
	texts := make([]string, 0, len(ranges))
	for _, r := range ranges {
		if !o.fromInputs || !r.Values {
			texts = append(texts, r.text())
		}
	}
	text := strings.Join(texts, " ")
	if o.fromInputs {
		text += " (derived from the inputs)"
	}
	return text
}

// others returns the remaining settings of the build as JSON values by name.
func (o *order) others() map[string]string {
	// The paths of plugins differ by machine, and the verbosity does not affect results.
	omitted := []string{"flags", "profiles", "plugins", "verbosity"}
	fields := map[string]json.RawMessage{}
	text, err := json.Marshal(o.buildSettings)
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err != nil {
		panic(err) // JSON can represent plain fields
	}
	values := map[string]string{}
	for key, value := range fields {
		if !slices.Contains(omitted, key) {
			values[strings.ReplaceAll(key, "_", " ")] = strings.Trim(string(value), `"`)
		}
	}
	return values
}

// noteBuild adds facts to the provenance that only the built engine reveals, such as which of the
// allowed precisions it uses. If the engine cannot be inspected, noteBuild adds no facts and
// returns no error, because the engine still runs.
func (b *backend) noteBuild(a *artifact, o *order) {
	if a.AsOutput && len(o.Marks.Debug) > 0 {
		set(&b.provenance.Options, "debug tensors", "returned as outputs, which may change how layers "+
			"are fused")
	}
	asked := o.allowed()
	if o.casts != nil {
		set(&b.provenance.Options, "casts", o.casts.text)
		asked = slices.Compact(slices.Sorted(slices.Values(append(asked, o.casts.flag))))
	}
	if len(asked) == 0 {
		b.provenance.Computed = backends.Float32
		return
	}
	found := b.layerTypes()
	for _, flag := range asked {
		set(&b.provenance.Options, strings.ToLower(flag), found.use(flag))
	}
	b.provenance.Computed = found.computed(slices.DeleteFunc(asked, func(flag string) bool {
		switch flag { // without calibration, only nodes of the model itself quantize
		case flagINT8:
			return o.calibrated == nil
		case flagFP8, flagINT4, flagFP4:
			return true
		}
		return false
	}))
}

// layerTypes returns what the engine reveals about its layers.
func (b *backend) layerTypes() layerTypes {
	var inspector string
	_ = b.device.Do(func() (err error) {
		inspector, err = b.engine.Information()
		return err
	})
	return readLayerTypes([]byte(inspector))
}
