package backends

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelparity/modelparity/internal/tally"
)

// RequireVersion skips the spec of t if the engine's version does not satisfy the constraint, or
// fails the spec if [RequireVariable] lists the engine's backend. The message names the version and
// the constraint. Call RequireVersion after the engine's own Require, which finds the version:
//
//	ort.Require(t)
//	backends.RequireVersion(t, "onnxruntime", ">= 1.27, < 2")
//
// The engines are onnxruntime, openvino, tensorrt, tract and onnxruntime-genai. A constraint is a
// list of comparisons (=, !=, <, <=, >, >=) that must all be true. A comparison uses only as many
// parts of the version as it names: "<= 1.27" includes 1.27.3. A malformed constraint fails the
// spec, and so does an engine whose version is not known.
func RequireVersion(t T, engine, constraint string) {
	t.Helper()
	found, known := tally.Of(engine)
	if !known {
		t.Fatalf("backends.RequireVersion: the version of %q is unknown; call the "+
			"engine's Require function first, such as ort.Require for onnxruntime", engine)
		return
	}
	fits, err := satisfies(found.Version, constraint)
	if err == nil && !fits {
		err = &Missing{Backend: found.Backend, Reason: fmt.Sprintf("%s %s is installed; this spec "+
			"needs %s", engine, found.Version, constraint),
			Remedy: "install a version that satisfies the constraint"}
	}
	if err != nil {
		SkipMissing(t, err)
	}
}

var (
	comparison = regexp.MustCompile(`^(=|!=|<|<=|>|>=) *(\d+(\.\d+)*)$`)
	// The rest of a version, such as "-20123-4452628", identifies a build and is ignored.
	numbered = regexp.MustCompile(`^\d+(\.\d+)*`)
)

// satisfies reports whether a version satisfies every comparison of a constraint.
func satisfies(version, constraint string) (bool, error) {
	fits := true
	for part := range strings.SplitSeq(constraint, ",") {
		m := comparison.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			return false, fmt.Errorf("backends.RequireVersion: the constraint %q is malformed; write "+
				"comparisons such as \">= 1.27, < 2\"", constraint)
		}
		limit := numbers(m[2])
		own := append(numbers(numbered.FindString(version)), make([]int, len(limit))...)
		order := slices.Compare(own[:len(limit)], limit)
		fits = fits && map[string]bool{"=": order == 0, "!=": order != 0, "<": order < 0,
			"<=": order <= 0, ">": order > 0, ">=": order >= 0}[m[1]]
	}
	return fits, nil
}

// numbers returns the numbers in a version such as "1.27.3". If a number is too large for an int,
// the largest int takes its place.
func numbers(version string) (list []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		list = append(list, n)
	}
	return list
}
