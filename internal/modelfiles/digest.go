package modelfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
)

// Digest computes one checksum of a model's files from their names and SHA-256 sums. The separate
// sums mark where files end: otherwise, bytes could move from one file to the next unnoticed. The
// zero value is ready to use.
type Digest struct {
	lines strings.Builder
	only  string
	files int
}

// Model is the name of the model's own file in a digest, so that renaming the file changes nothing.
// sha256sum calls its standard input the same.
const Model = "-"

// unescaped escapes the characters that sha256sum escapes in a name.
var unescaped = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)

// Add adds the SHA-256 of a file.
func (d *Digest) Add(name string, sum []byte) {
	mark, escaped := "", unescaped.Replace(name)
	if escaped != name {
		mark = `\`
	}
	d.only = ""
	if d.files++; d.files == 1 && name == Model {
		d.only = hex.EncodeToString(sum)
	}
	fmt.Fprintf(&d.lines, "%s%x  %s\n", mark, sum, escaped)
}

// AddFile adds a file and reads it to the end.
func (d *Digest) AddFile(name string, file io.Reader) error {
	hash := sha256.New()
	_, err := io.Copy(hash, file)
	d.Add(name, hash.Sum(nil))
	return err
}

// Sum returns the model's SHA-256, in hexadecimal. For a model in one file it is the file's;
// otherwise it is the SHA-256 of the lines that sha256sum prints for the files, in the order of
// adding.
func (d *Digest) Sum() string {
	if d.only != "" {
		return d.only
	}
	sum := sha256.Sum256([]byte(d.lines.String()))
	return hex.EncodeToString(sum[:])
}
