package golden

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/modelparity/modelparity/internal/runfile"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// record describes the outputs that a spec of this test run wants in one golden file. Records show
// whether two specs would overwrite each other's file.
type record struct {
	Path    string `json:"path"` // absolute, with links resolved
	Sum     string `json:"sum"`  // checksum of the outputs that the spec wanted
	By      string `json:"by"`   // the spec, or the location of its assertion
	Written bool   `json:"written"`
}

// written reports whether this test run has written the file.
func written(path string) bool {
	path = wholefile.Unlinked(path)
	return slices.ContainsFunc(recorded(), func(r record) bool { return r.Path == path && r.Written })
}

// claim records p and then calls update. It returns an error if another spec of this test run wants
// different outputs in the file that p would write. It also returns an error if another spec has
// already written the file, and p's run does not match it.
func claim(p *Pending, update func() error) error {
	mine := record{Path: wholefile.Unlinked(p.Change.Path), Sum: outputsSum(p.head), By: p.by(),
		Written: p.writes()}
	return journaled(func(all []record) error {
		for _, r := range all {
			if r.Path != mine.Path || r.Sum == mine.Sum {
				continue
			}
			if mine.Written || r.Written && !p.stillHolds() {
				return contradiction(p.Change.Path, r, mine)
			}
		}
		return nil
	}, mine, update)
}

// stillHolds reports whether the run still matches the file. It reads the file again, because
// another process may have rewritten it.
func (p *Pending) stillHolds() bool {
	old, err := readReference(context.Background(), p.Change.Path)
	return err == nil && p.judge(old)
}

// by returns the name of the spec that requested the update or, if the spec has no name, the
// location of the assertion.
func (p *Pending) by() string {
	if name := p.o.Spec.text(); name != "" {
		return fmt.Sprintf("%q", name)
	}
	if p.o.By != "" {
		return "the assertion at " + p.o.By
	}
	return "an unnamed spec"
}

// contradiction returns the error for two records that want different outputs in the same file. The
// error names both specs and says how to resolve the conflict.
func contradiction(path string, before, now record) error {
	if before.By == now.By {
		return fmt.Errorf("%s was not written: %s already produced different outputs in this test run; "+
			"give each case its own golden file, or find out why the run is not deterministic",
			path, now.By)
	}
	return fmt.Errorf("%s was not written: %s and %s use the same golden file, but produce "+
		"different outputs; give each its own file, or use OfFile to compare one of them with the "+
		"other's file", path, before.By, now.By)
}

// outputsSum returns a checksum of all outputs: their names, types, shapes and values.
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
