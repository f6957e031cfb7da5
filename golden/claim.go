package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/modelparity/modelparity/internal/runfile"
)

// record is what a spec wanted one golden file to hold in this run of the tests.
type record struct {
	Path    string `json:"path"` // absolute, without links
	Sum     string `json:"sum"`  // of the outputs that it wanted
	By      string `json:"by"`   // the spec, or where its assertion stands
	Written bool   `json:"written"`
}

// claims are the records of this process. Those of the processes beside it are in the journal.
var claims struct {
	sync.Mutex
	records []record
}

// written reports whether this run of the tests wrote the file.
func written(path string) bool {
	claims.Lock()
	defer claims.Unlock()
	path = runfile.Unlinked(path)
	for _, r := range append(others(), claims.records...) {
		if r.Path == path && r.Written {
			return true
		}
	}
	return false
}

// claim records what p wants, and does it, unless it contradicts what was wanted before. A file is
// written only where no other spec wanted different outputs, and kept only where it has not changed
// since it was compared.
func claim(p *Pending, do func() error) error {
	mine := record{Path: runfile.Unlinked(p.change.Path), Sum: outputsSum(p.head), By: p.by(),
		Written: p.Writes()}
	claims.Lock()
	defer claims.Unlock()
	return journaled(func(others []record) error {
		for _, r := range append(others, claims.records...) {
			if r.Path != mine.Path || r.Sum == mine.Sum {
				continue
			}
			if mine.Written || r.Written && !p.stillHolds() {
				return contradiction(p.change.Path, r, mine)
			}
		}
		return nil
	}, mine, func() error {
		claims.records = append(claims.records, mine)
		return do()
	})
}

// stillHolds reads the file again, because another process may have written it.
func (p *Pending) stillHolds() bool {
	old, err := readReference(afterSpec(p.run), p.change.Path)
	return err == nil && p.judge(old)
}

// by names who wants the update.
func (p *Pending) by() string {
	if name := p.o.Spec.Name(); name != "" {
		return fmt.Sprintf("%q", name)
	}
	if p.o.By != "" {
		return "the assertion at " + p.o.By
	}
	return "an unnamed spec"
}

// contradiction names both specs and the ways out.
func contradiction(path string, before, now record) error {
	if before.By == now.By {
		return fmt.Errorf("%s is not written: %s wants other outputs in it than before; if these are "+
			"several cases, give each a golden file of its own; if it is one, find out why the run is "+
			"not the same each time", path, now.By)
	}
	return fmt.Errorf("%s is not written: two specs share the name and want different outputs, %s "+
		"and %s; give each a golden file of its own, or hold one of them to the file of the other "+
		"with OfFile", path, before.By, now.By)
}

// outputsSum is the checksum of all outputs with their names, types and shapes.
func outputsSum(h runfile.Head) string {
	sum := sha256.New()
	for _, run := range h.Runs {
		for i, iteration := range run.Iterations {
			for _, o := range iteration {
				fmt.Fprintf(sum, "%d %q %v %v %s\n", i, o.Name, o.Type, o.Shape, o.Sum())
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}
