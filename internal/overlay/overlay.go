// Package overlay lets `modelparity mutate` run a suite on changed models and golden files without
// writing into the user's tree. The command passes a test process a table that maps the checksum of
// a file's content to the file to open instead; the table of `go build -overlay` does the same with
// paths. The rest of this module only asks this package which file to open.
package overlay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// Variable is the environment variable that names the JSON file with the [Overlay].
const Variable = "MODELPARITY_OVERLAY"

// Overlay tells a test process which files to open instead of others, and whether to record the
// files that it opens.
type Overlay struct {
	Mutant string `json:"mutant,omitempty"` // the planted fault, in words
	// Files maps the SHA-256 of a file to the path of the file to open instead.
	Files map[string]string `json:"files,omitempty"`
	// Record is a folder in which the process records the files that it opens, or "".
	Record string `json:"record,omitempty"`
}

// Use is the record of one file that a test process opened, or of one model that it ran.
type Use struct {
	Kind   string `json:"kind"`
	Path   string `json:"path,omitempty"`
	SHA256 string `json:"sha256,omitempty"` // of the file's content
	// Inputs is a file with inputs on which the process ran the model; only the kind [Inputs] has it.
	Inputs string `json:"inputs,omitempty"`
	// Text describes a model that no overlay can replace.
	Text string `json:"text,omitempty"`
}

// The values of [Use.Kind].
const (
	Model  = "model"
	Golden = "golden"
	Inputs = "inputs" // the model's file ran on inputs
	Bypass = "bypass"
)

// given returns the overlay from the file that the environment variable names, or nil if the
// variable is not set.
var given = sync.OnceValue(func() *Overlay {
	path := os.Getenv(Variable)
	if path == "" {
		return nil
	}
	text, err := regular.Read(path)
	o := new(Overlay)
	if err == nil {
		err = json.Unmarshal(text, o)
	}
	if err != nil { // going on would test other files than the command believes
		panic(fmt.Sprintf("%s, set by `modelparity mutate`: %v", Variable, err))
	}
	return o
})

// Mutant describes the fault that `modelparity mutate` planted in the files that this process
// opens. It returns "" if there is none.
func Mutant() string {
	if o := given(); o != nil {
		return o.Mutant
	}
	return ""
}

// Active reports whether `modelparity mutate` started this process.
func Active() bool { return given() != nil }

// Path returns the path of the file to open instead of path. That is path itself, unless the
// overlay has a faulty copy of a file with the same content.
func Path(kind, path string) string {
	o := given()
	if o == nil {
		return path
	}
	sum, err := regular.Sum(path)
	if err != nil {
		return path // the caller's own attempt to open the file reports the error
	}
	o.note(Use{Kind: kind, Path: path, SHA256: sum})
	if other, replaced := o.Files[sum]; replaced {
		return other
	}
	return path
}

// Records reports whether this process records the files that it opens and the models that it runs.
func Records() bool { return given() != nil && given().Record != "" }

// Bypassed records that a spec ran a model that is not a file, so that no fault can be planted into
// it. text describes the model.
func Bypassed(text string) { given().note(Use{Kind: Bypass, Text: text}) }

// InputsFile records that the model at path runs on inputs with the given checksum. It returns the
// file in which to save the inputs, or "" if they are saved already.
func InputsFile(path, checksum string) string {
	sum, err := regular.Sum(path)
	if err != nil {
		return ""
	}
	file := filepath.Join(given().Record, checksum+".json")
	given().note(Use{Kind: Inputs, Path: path, SHA256: sum, Inputs: file})
	if _, err := os.Lstat(file); err == nil {
		return ""
	}
	return file
}

// usesFile is the name of a file in the folder [Overlay.Record]. Each process appends a [Use] to it
// for every file that it opens and every model that it runs.
const usesFile = "uses.jsonl"

// note records a use. A failure ends the process, because the record would be incomplete.
func (o *Overlay) note(u Use) {
	if o.Record == "" {
		return
	}
	var err error
	if u.Path != "" {
		u.Path, err = filepath.Abs(u.Path)
	}
	text, wrong := json.Marshal(u)
	if err = cmp.Or(err, wrong); err == nil {
		err = wholefile.Append(filepath.Join(o.Record, usesFile), append(text, '\n'))
	}
	if err != nil {
		panic(fmt.Sprintf("modelparity mutate cannot record a file or model that a spec uses: %v", err))
	}
}

// Recorded returns the uses that processes recorded in a folder.
func Recorded(folder string) (uses []Use, err error) {
	text, err := regular.Read(filepath.Join(folder, usesFile))
	if os.IsNotExist(err) {
		return nil, nil
	}
	for line := range strings.Lines(string(text)) {
		var u Use
		if err == nil {
			err = json.Unmarshal([]byte(line), &u)
		}
		uses = append(uses, u)
	}
	return uses, err
}
