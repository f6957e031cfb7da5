// Package whole writes files whole or not at all.
package whole

import "io"

// WriteFile writes data to path by way of a file beside it that is renamed when it is complete, so
// that a reader, or a crash, never meets half a file. The folder must exist.
func WriteFile(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
