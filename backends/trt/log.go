//go:build linux && cgo

package trt

import (
	"fmt"
	"strings"
	"sync"

	"github.com/modelparity/modelparity/internal/trtabi"
)

// watch collects TensorRT's log during one operation.
type watch struct {
	mu     sync.Mutex
	errors []string
	stop   func()
}

// listen starts to collect the log. The caller must call stop.
func listen(library *trtabi.Library, s *settings) *watch {
	w := &watch{}
	w.stop = library.Log.Listen(func(severity trtabi.Severity, text string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if severity <= trtabi.Error {
			w.errors = append(w.errors, text)
		}
		if s.log != nil && severity <= s.severity {
			fmt.Fprintf(s.log, "[TensorRT %v] %s\n", severity, text)
		}
	})
	return w
}

// maxLines is the largest number of TensorRT's own errors that an error quotes.
const maxLines = 5

// explain adds the errors in TensorRT's log to err.
func (w *watch) explain(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil || len(w.errors) == 0 {
		return err
	}
	lines := w.errors
	more := ""
	if len(lines) > maxLines {
		more = fmt.Sprintf("\n\tand %d more lines", len(lines)-maxLines)
		lines = lines[:maxLines]
	}
	return fmt.Errorf("%w; TensorRT says:\n\t%s%s", err, strings.Join(lines, "\n\t"), more)
}
