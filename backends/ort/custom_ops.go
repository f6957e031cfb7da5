package ort

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/onnxruntime"
)

// customOps returns the names and checksums of the libraries of custom operators, for the
// provenance. It returns an error if a library cannot be opened or is truncated: ONNX Runtime
// opens the libraries with the system's loader, which crashes on a truncated file.
func (s *settings) customOps() (string, error) {
	var list []string
	for _, path := range s.CustomOps {
		var sum string
		err := engines.Whole(path)
		if err == nil {
			sum, err = engines.Sum(path)
		}
		if err != nil {
			return "", fmt.Errorf("ort.CustomOps(%q): %w", path, err)
		}
		list = append(list, fmt.Sprintf("%s sha256 %s", filepath.Base(path), sum))
	}
	return strings.Join(list, ", "), nil
}

// explainCustomOps returns the refusal for a library of custom operators that ONNX Runtime rejects.
func explainCustomOps(err *onnxruntime.CustomOpsError) *backends.Refusal {
	return &backends.Refusal{Engine: engineName, Reason: backends.WrongCustomOps, Cause: err,
		Answer:  answerOf(err.Err),
		Meaning: "ONNX Runtime rejects the custom operator library " + err.Path}
}
