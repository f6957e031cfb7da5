package engines

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/modelparity/modelparity/internal/filestate"
	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// kept is one entry of the checksum cache: the checksum of a file, and that file's state when the
// checksum was computed.
type kept struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	filestate.State
}

// Sum returns the sha256 of a file, in hexadecimal. Reading a library takes tens of milliseconds,
// so the checksum is cached until the file's inode, size, mtime or ctime changes. If the checksum
// cannot be cached, the file is read every time.
func Sum(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	file, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // only read
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	now, known := filestate.Of(info)
	record := recordOf(path)
	if known && record != "" {
		if old, ok := readKept(record); ok && old.Path == path && old.State == now &&
			sumForm.Regexp().MatchString(old.SHA256) {
			return old.SHA256, nil
		}
	}
	began := time.Now()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	sum := hex.EncodeToString(hash.Sum(nil))
	if known && record != "" && now.LeftAlone(began) {
		keep(record, kept{path, sum, now})
	}
	return sum, nil
}

// recordOf returns the path of the cache entry for the file at path, or "" if there is no cache
// folder.
func recordOf(path string) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	name := sha256.Sum256([]byte(path))
	return filepath.Join(cache, "modelparity", "sums", hex.EncodeToString(name[:16])+".json")
}

// maxRecord limits the size of a cache entry, in bytes. Valid entries are smaller, because they
// contain one path and one checksum.
const maxRecord = 64 << 10

func readKept(record string) (kept, bool) {
	file, err := regular.Open(record)
	if err != nil {
		return kept{}, false
	}
	defer file.Close() //nolint:errcheck // only read
	var old kept
	err = json.NewDecoder(io.LimitReader(file, maxRecord)).Decode(&old)
	return old, err == nil
}

// keep writes a checksum to the cache. It ignores failures, because their only effect is that the
// checksum must be computed again.
func keep(record string, k kept) {
	data, err := json.Marshal(k)
	if err != nil || os.MkdirAll(filepath.Dir(record), 0o755) != nil {
		return
	}
	_ = wholefile.WriteBytes(record, append(data, '\n'))
}
