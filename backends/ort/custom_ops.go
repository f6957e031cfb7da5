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
	"github.com/modelparity/modelparity/internal/pattern"
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

// noEntryPoint matches ONNX Runtime's error for a library that loads but lacks the function
// RegisterCustomOps.
var noEntryPoint = pattern.New(`Failed to (?:get|find) symbol RegisterCustomOps`)

// explainCustomOps explains what is wrong with a library of custom operators.
func explainCustomOps(err *onnxruntime.CustomOpsError) *backends.Refusal {
	e := &backends.Refusal{Engine: engineName, Reason: backends.WrongCustomOps,
		Answer: answerOf(err.Err), Cause: err}
	switch {
	case noEntryPoint.Regexp().MatchString(e.Answer):
		e.Meaning = fmt.Sprintf("ort.CustomOps: %s has no RegisterCustomOps, so it is not a library of "+
			"custom operators for ONNX Runtime", err.Path)
	case strings.Contains(e.Answer, "Failed to load library"):
		e.Meaning = fmt.Sprintf("ort.CustomOps: the system's loader rejects %s", err.Path)
	default:
		e.Meaning = fmt.Sprintf("ort.CustomOps: ONNX Runtime rejects the operators of %s", err.Path)
	}
	return e
}
