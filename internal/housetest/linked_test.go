package housetest_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// links says how many third-party modules a package links at most, itself and what it imports.
var links = map[string]int{
	"./matchers":            8, // noise is measured in ONNX Runtime
	"./backends/served":     6,
	"./report/ginkgoreport": 14,
}

// heavy are modules whose users are few: pictures, and servers over gRPC.
var heavy = []string{"gonum.org/v1/plot", "google.golang.org/grpc"}

func TestWhatSuitesLinkIsLight(t *testing.T) {
	for from, most := range links {
		command := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", from)
		command.Dir = root
		out, err := command.Output()
		if err != nil {
			t.Fatal(err)
		}
		modules := strings.Fields(string(out))
		slices.Sort(modules)
		modules = slices.DeleteFunc(slices.Compact(modules),
			func(m string) bool { return m+"/" == module })
		if len(modules) > most || len(modules) == 0 {
			t.Errorf("%s links %d third-party modules, at most %d are meant: %q", from, len(modules),
				most, modules)
		}
		for _, m := range heavy {
			if slices.Contains(modules, m) {
				t.Errorf("%s links %s", from, m)
			}
		}
	}
}
