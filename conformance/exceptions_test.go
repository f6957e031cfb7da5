package conformance_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// exception is a case that does not pass, up to which stage it comes, and why.
type exception struct {
	needs  string // what would make it pass: "opset", "locale", "opset+locale", or "-" for nothing
	stage  stage
	reason string
}

// holds reports whether the exception holds here: whether what it needs is missing.
func (e exception) holds() bool {
	for need := range strings.SplitSeq(e.needs, "+") {
		switch need {
		case "opset": // ONNX Runtime takes opsets that it counts as unfinished
			if os.Getenv("ALLOW_RELEASED_ONNX_OPSET_ONLY") != "0" {
				return true
			}
		case "locale": // StringNormalizer asks for en_US.UTF-8
			if !hasLocale() {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// hasLocale reports whether the system, or the folder that LOCPATH names, has en_US.UTF-8.
var hasLocale = sync.OnceValue(func() bool {
	if folder := os.Getenv("LOCPATH"); folder != "" {
		if _, err := os.Stat(filepath.Join(folder, "en_US.UTF-8")); err == nil {
			return true
		}
	}
	list, err := exec.Command("locale", "-a").Output()
	return err == nil && strings.Contains(strings.ToLower(string(list)), "en_us.utf")
})

// readExceptions reads the list: a line each of case, needs, stage and reason, separated by tabs.
// Lines that start with # are for readers.
func readExceptions(path string) (map[string]exception, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	listed := map[string]exception{}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.SplitN(line, "\t", 4)
		if len(columns) != 4 {
			return nil, fmt.Errorf("%s:%d: want case, needs, stage and reason, separated by tabs",
				path, number)
		}
		e := exception{columns[1], stage(columns[2]), columns[3]}
		if _, twice := listed[columns[0]]; twice ||
			e.stage != load && e.stage != run && e.stage != mismatch {
			return nil, fmt.Errorf("%s:%d: %s is listed twice, or at an unknown stage; want "+
				"load, run or mismatch", path, number, columns[0])
		}
		listed[columns[0]] = e
	}
	return listed, nil
}
