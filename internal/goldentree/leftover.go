package goldentree

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/runfile"
)

// DraftName is the file name of a blob that is being written. The final name contains the blob's
// checksum.
const DraftName = "draft"

// leftAside lists the blobs in a golden file's data folder that the file's head does not mention.
// An interrupted update may leave such blobs. It returns an error if the head cannot be read.
func leftAside(folder string) (files []string, err error) {
	path := strings.TrimSuffix(folder, ".data") + ".json"
	h := new(runfile.Head)
	if _, err := os.Lstat(path); err == nil {
		if h, err = runfile.ReadHead(path); err != nil {
			return nil, err
		}
	}
	named := map[string]bool{}
	for _, b := range h.Blobs() {
		named[b.SHA256+runfile.BlobExtension] = true
	}
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if !named[entry.Name()] && isBlobName(entry.Name()) && entry.Type().IsRegular() {
			files = append(files, filepath.Join(folder, entry.Name()))
		}
	}
	return files, err
}

// Leftover lists the data files under paths that no golden file uses, for example after an
// interrupted update. It skips the data of golden files whose head cannot be read.
func Leftover(paths ...string) (files []string) {
	for _, path := range Placed(paths) {
		_ = filepath.WalkDir(path, func(at string, item fs.DirEntry, err error) error {
			if err != nil || !item.IsDir() {
				return nil //nolint:nilerr // Files reports the error
			}
			name := item.Name()
			if at != path && (strings.HasPrefix(name, ".") || name == "node_modules") {
				return fs.SkipDir
			}
			if absolute, err := filepath.Abs(at); err == nil && filepath.Ext(name) == ".data" {
				if _, inside := Split(absolute); inside != "" {
					left, _ := leftAside(at) // empty if the head cannot be read
					files = append(files, left...)
				}
			}
			return nil
		})
	}
	slices.Sort(files)
	return slices.Compact(files)
}

func isBlobName(name string) bool {
	sum, ok := strings.CutSuffix(name, runfile.BlobExtension)
	return ok && runfile.IsSum(sum) || name == DraftName
}
