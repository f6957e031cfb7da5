package tract

import (
	"os"
	"strings"

	"github.com/modelparity/modelparity/internal/option"
	abi "github.com/modelparity/modelparity/internal/tract"
)

// settings is the sum of the options. Its JSON is the engine's text.
type settings struct {
	Library string  `json:"library,omitempty"`
	Runtime Runtime `json:"runtime"`
	FP16    bool    `json:"fp16,omitempty"`
	WarmUp  int     `json:"warm_up,omitempty"`
}

// kind is tract with any options.
var kind = option.Kind[settings]{Package: Name, Name: "tract",
	Defaults: func() settings { return settings{Runtime: CPU} }}

// abi is the settings as the library takes them.
func (s *settings) abi() abi.Options {
	return abi.Options{Runtime: string(s.Runtime), Half: s.FP16}
}

// text lists, for the provenance, what affects the numbers besides model and inputs.
func (s *settings) text() map[string]string {
	text := map[string]string{"precision": "as declared"}
	if s.FP16 {
		text["precision"] = "float16"
	}
	for _, entry := range os.Environ() { // tract reads settings of its kernels from there
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "TRACT_") {
			text[name] = value
		}
	}
	return text
}
