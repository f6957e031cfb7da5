package shards

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/reportfile"
)

// plan assigns units to shards. A unit is a spec or an Ordered container, whose specs must run in
// the same shard. The plan depends only on unit names, the number of shards and the weights, so all
// shards compute the same plan.
type plan struct {
	total   int
	by      map[string]int // the shard of each unit whose duration is known
	weights string         // SHA-256 of the weights file, the report with the durations
}

// shardOf returns the shard of a unit, counted from 0. A unit without a weight is assigned by a
// hash.
func (p plan) shardOf(unit string) int {
	if i, known := p.by[unit]; known {
		return i
	}
	sum := sha256.Sum256([]byte(unit))
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(p.total))
}

// balance assigns each unit, longest first, to the shard with the smallest total time so far.
func balance(total int, weights map[string]time.Duration) map[string]int {
	units := slices.SortedFunc(maps.Keys(weights), func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), strings.Compare(a, b))
	})
	load := make([]time.Duration, total)
	by := make(map[string]int, len(units))
	for _, unit := range units {
		least := slices.Index(load, slices.Min(load))
		by[unit] = least
		load[least] += weights[unit]
	}
	return by
}

// readPlan returns the plan for the suite in a folder. The weights are read from the file at path,
// unless path is "".
func readPlan(total int, path, folder, pkg string) (plan, error) {
	p := plan{total: total}
	if path == "" {
		return p, nil
	}
	sum, err := regular.Sum(path)
	if err != nil {
		return p, fmt.Errorf("%s: %w", weightsVariable, err)
	}
	p.weights = sum
	f, err := reportfile.Read(path)
	if err == nil && f.Document != nil {
		err = fmt.Errorf("%s: a report of kind %s contains no specs; expected a Ginkgo report", path,
			f.Document.Kind)
	}
	if err != nil {
		return p, fmt.Errorf("%s: %w", weightsVariable, err)
	}
	weights := map[string]time.Duration{}
	for _, s := range f.Suites {
		if !same(s, folder, pkg) {
			continue
		}
		seen := map[string]int{}
		for _, spec := range s.Specs {
			if !spec.IsSpec() || spec.State != reportfile.Passed && !spec.Failed() {
				continue
			}
			if unit, known := unitOf(spec, seen); known {
				weights[unit] += max(spec.RunTime, time.Microsecond)
			}
		}
	}
	p.by = balance(total, weights)
	return p, nil
}

// same reports whether s is the suite in the given folder.
func same(s reportfile.Suite, folder, pkg string) bool {
	share, _, err := s.Share()
	if err == nil && share.Package != "" && pkg != "" {
		return share.Package == pkg
	}
	return filepath.Base(strings.ReplaceAll(s.SuitePath, `\`, "/")) == filepath.Base(folder)
}

// unitOf returns the unit of the [plan] that contains a spec of a report. seen counts specs with
// equal texts.
func unitOf(spec reportfile.Spec, seen map[string]int) (unit string, known bool) {
	for _, entry := range spec.Entries(reportfile.Unit) {
		return strings.TrimSpace(entry.Text), true
	}
	if spec.IsInOrderedContainer {
		return "", false
	}
	return numbered(spec.FullText(), seen), true
}

// numbered appends a number to a name that has occurred before, so that specs with equal texts can
// run in different shards. seen counts the names.
func numbered(name string, seen map[string]int) string {
	seen[name]++
	if n := seen[name]; n > 1 {
		return fmt.Sprintf("%s #%d", name, n)
	}
	return name
}
