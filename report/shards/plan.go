package shards

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/reportfile"
)

// plan says which shard runs a unit: a spec, or an Ordered container. It is a function of the
// unit's name, the number of shards and the weights alone, so every shard comes to the same.
type plan struct {
	total   int
	by      map[string]int // by weight
	weights string         // the SHA-256 of the file
	note    string
}

// shardOf is the shard of a unit, from 0. One that has no weight goes by its hash.
func (p plan) shardOf(unit string) int {
	if i, known := p.by[unit]; known {
		return i
	}
	sum := sha256.Sum256([]byte(unit))
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(p.total))
}

// balance gives the units to the shards, the longest first, each to the shard that has least.
func balance(total int, weights map[string]time.Duration) map[string]int {
	units := slices.SortedFunc(maps.Keys(weights), func(a, b string) int {
		return cmp.Or(cmp.Compare(weights[b], weights[a]), strings.Compare(a, b))
	})
	load := make([]time.Duration, total)
	by := make(map[string]int, len(units))
	for _, unit := range units {
		least := 0
		for i := range load {
			if load[i] < load[least] {
				least = i
			}
		}
		by[unit] = least
		load[least] += weights[unit]
	}
	return by
}

// readPlan is the plan for a suite in a folder, by the weights in a file, "" for none.
func readPlan(total int, path, folder, pkg string) (plan, error) {
	p := plan{total: total}
	if path == "" {
		return p, nil
	}
	text, err := regular.Read(path)
	if err != nil {
		return p, fmt.Errorf("%s: %w", weightsVariable, err)
	}
	sum := sha256.Sum256(text)
	p.weights = hex.EncodeToString(sum[:])
	f, err := reportfile.Read(path)
	if err == nil && f.Document != nil {
		err = fmt.Errorf("%s: a report of kind %s has no timings of specs", path, f.Document.Kind)
	}
	if err != nil {
		return p, fmt.Errorf("%s: %w", weightsVariable, err)
	}
	weights := map[string]time.Duration{}
	unknown := 0
	for _, s := range f.Suites {
		if !same(s, folder, pkg) {
			continue
		}
		seen := map[string]int{}
		for _, spec := range s.Specs {
			if !spec.IsSpec() || spec.State != reportfile.Passed && !spec.Failed() {
				continue
			}
			unit, known := unitOf(spec, seen)
			if !known {
				unknown++
				continue
			}
			weights[unit] += max(spec.RunTime, time.Microsecond)
		}
	}
	switch {
	case len(weights) == 0:
		p.note = "the weights are of other suites"
	case unknown > 0:
		p.note = fmt.Sprintf("%d specs of the weights are in Ordered containers that they do not name",
			unknown)
	}
	p.by = balance(total, weights)
	return p, nil
}

// same says whether a report is of the suite in that folder.
func same(s reportfile.Suite, folder, pkg string) bool {
	share, _, err := s.Share()
	if err == nil && share.Package != "" && pkg != "" {
		return share.Package == pkg
	}
	return filepath.Base(strings.ReplaceAll(s.SuitePath, `\`, "/")) == filepath.Base(folder)
}

// unitOf is the unit of a spec in a report. seen counts the specs of one text.
func unitOf(spec reportfile.Spec, seen map[string]int) (unit string, known bool) {
	for _, entry := range spec.Entries(reportfile.Unit) {
		return strings.TrimSpace(entry.Text), true
	}
	if spec.IsInOrderedContainer {
		return "", false
	}
	return numbered(spec.FullText(), seen), true
}

// numbered tells units of one name apart.
func numbered(name string, seen map[string]int) string {
	seen[name]++
	if n := seen[name]; n > 1 {
		return fmt.Sprintf("%s #%d", name, n)
	}
	return name
}
