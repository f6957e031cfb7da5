package main

import (
	"slices"
	"strings"
	"testing"
)

func TestPlacesAreThoseOfTheModuleThatDecide(t *testing.T) {
	line := func(file, instruction string) string {
		return "\t0x0010 00016 (" + file + ")\t" + instruction + "\tF1, F0, F2, F0\n"
	}
	places, read, err := scan(strings.NewReader(
		line("/m/compare/noise.go:7", "FMADDD")+line("/m/compare/noise.go:7", "FMADDD")+
			line("/m/compare/noise.go:8", "FMULD")+line("/m/a.go:9", "FNMSUBS")+
			line("/m/report/plots/axis.go:3", "FMADDD")+line("/go/src/math/log.go:3", "FMSUBD")), "/m")
	if err != nil || read != 6 || !slices.Equal(places, []string{"a.go:9", "compare/noise.go:7"}) {
		t.Error(places, read, err)
	}
}
