package ort

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/internal/regular"
)

// customOps returns the names and checksums of the libraries of custom operators, for the
// provenance. It returns an error if a library cannot be opened or is truncated: ONNX Runtime
// opens the libraries with the system's loader, which crashes on a truncated file.
func (s *settings) customOps() (string, error) {
	var list []string
	for _, path := range s.CustomOps {
		sum, err := sumOf(path)
		if err != nil {
			return "", fmt.Errorf("ort.CustomOps(%q): %w", path, err)
		}
		list = append(list, fmt.Sprintf("%s sha256 %s", filepath.Base(path), sum))
	}
	return strings.Join(list, ", "), nil
}

// sumOf returns the checksum of a library, or an error if the file is truncated.
func sumOf(path string) (string, error) {
	if _, err := os.Stat(path); err != nil {
		return "", err
	}
	if err := engines.Whole(path); err != nil {
		return "", err
	}
	file, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// explainCustomOps returns the refusal for a library of custom operators that ONNX Runtime rejects.
func explainCustomOps(err *onnxruntime.CustomOpsError) *backends.Refusal {
	return &backends.Refusal{Engine: engineName, Reason: backends.WrongCustomOps, Cause: err,
		Answer:  answerOf(err.Err),
		Meaning: "ONNX Runtime rejects the custom operator library " + err.Path}
}
