package tract

import (
	"os"
	"strings"

	"github.com/modelparity/modelparity/internal/option"
)

// settings contains the values of all options. Encoded as JSON, it is part of the text from which
// another process recreates the engine.
type settings struct {
	Library string `json:"library,omitempty"`
	FP16    bool   `json:"fp16,omitempty"`
	WarmUp  int    `json:"warm_up,omitempty"`
}

var kind = option.Kind[settings]{Package: backendName, Name: "tract",
	Defaults: func() settings { return settings{} }}

// text returns the settings that affect the results, for the provenance.
func (s *settings) text() map[string]string {
	text := map[string]string{"precision": "as declared"}
	if s.FP16 {
		text["precision"] = "float16"
	}
	for _, entry := range os.Environ() { // tract reads settings of its kernels from the environment
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "TRACT_") {
			text[name] = value
		}
	}
	return text
}
