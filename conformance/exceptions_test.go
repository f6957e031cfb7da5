package conformance_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// exception is a failing case with the stage it reaches and the reason.
type exception struct {
	needs  string // what would make it pass: "opset", "locale", "opset+locale", or "-"
	stage  stage
	reason string
}

// holds reports whether the exception applies here because its need is not met.
func (e exception) holds() bool {
	for need := range strings.SplitSeq(e.needs, "+") {
		switch need {
		case "opset": // ONNX Runtime accepts unfinished opsets
			if os.Getenv("ALLOW_RELEASED_ONNX_OPSET_ONLY") != "0" {
				return true
			}
		case "locale": // StringNormalizer requires en_US.UTF-8
			if !hasLocale() {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// hasLocale reports whether the system, or the folder in LOCPATH, has en_US.UTF-8.
var hasLocale = sync.OnceValue(func() bool {
	if folder := os.Getenv("LOCPATH"); folder != "" {
		if _, err := os.Stat(filepath.Join(folder, "en_US.UTF-8")); err == nil {
			return true
		}
	}
	list, err := exec.Command("locale", "-a").Output()
	return err == nil && strings.Contains(strings.ToLower(string(list)), "en_us.utf")
})

// readExceptions reads the list of exceptions.
func readExceptions(path string) (map[string]exception, error) {
	return readList(path, "case, needs, stage and reason", func(c []string) (exception, error) {
		e := exception{c[1], stage(c[2]), c[3]}
		if !slices.Contains([]string{"opset", "locale", "opset+locale", "-"}, e.needs) {
			return e, fmt.Errorf("unknown need %s; want opset, locale, opset+locale or -", e.needs)
		}
		if e.stage != load && e.stage != run && e.stage != mismatch {
			return e, fmt.Errorf("unknown stage %s; want load, run or mismatch", e.stage)
		}
		return e, nil
	})
}
