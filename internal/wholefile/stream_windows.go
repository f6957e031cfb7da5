package wholefile

import "os"

// openStream opens a stream for writing.
func openStream(t Target) (*os.File, error) { return os.OpenFile(t.Path, os.O_WRONLY, 0) }
