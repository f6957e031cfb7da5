package cli

import (
	"fmt"
	"strings"

	"github.com/modelparity/modelparity/backends/openvino"
	"github.com/modelparity/modelparity/loaders"
)

// foreignText formats OpenVINO's description of a file for people.
func foreignText(d openvino.Description) string {
	var b strings.Builder
	b.WriteString(d.Name + ": ")
	if d.Format != "" {
		b.WriteString(d.Format + ", ")
	}
	fmt.Fprintf(&b, "read by OpenVINO %s, sha256 %.12s\n", d.Version, d.SHA256)
	for _, list := range []struct {
		title  string
		values []loaders.Value
	}{{"inputs", d.Inputs}, {"outputs", d.Outputs}} {
		if len(list.values) > 0 {
			b.WriteString(list.title + ":\n")
		}
		for _, v := range list.values {
			fmt.Fprintf(&b, "  %v\n", v)
		}
	}
	return b.String()
}
