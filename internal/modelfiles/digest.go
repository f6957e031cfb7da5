package modelfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// Digest computes one checksum of a model's files from their names and SHA-256 sums. Because each
// file has its own sum, the checksum also changes if bytes move from one file to the next. The zero
// value is ready to use.
type Digest struct {
	lines strings.Builder
	only  string
	files int
}

// Model is the name of the model's own file in a digest, whatever its file name, so that renaming
// the file changes nothing. It is the name that sha256sum prints for its standard input.
const Model = "-"

// escaper escapes a file name as sha256sum does.
var escaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)

// Add adds a file by its name and SHA-256 sum.
func (d *Digest) Add(name string, sum []byte) {
	mark, escaped := "", escaper.Replace(name)
	if escaped != name {
		mark = `\`
	}
	d.only = ""
	if d.files++; d.files == 1 && name == Model {
		d.only = hex.EncodeToString(sum)
	}
	fmt.Fprintf(&d.lines, "%s%x  %s\n", mark, sum, escaped)
}

// AddFile adds a file. It reads the file to the end.
func (d *Digest) AddFile(name string, file io.Reader) error {
	hash := sha256.New()
	_, err := io.Copy(hash, file)
	d.Add(name, hash.Sum(nil))
	return err
}

// Sum returns the model's SHA-256 sum, in hexadecimal. If the model is a single file, that is the
// sum of the file. Otherwise it is the SHA-256 sum of the lines that sha256sum prints for the
// files, in the order in which they were added.
func (d *Digest) Sum() string {
	if d.only != "" {
		return d.only
	}
	sum := sha256.Sum256([]byte(d.lines.String()))
	return hex.EncodeToString(sum[:])
}
