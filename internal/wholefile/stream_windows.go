package wholefile

import "os"

func openStream(t Target) (*os.File, error) { return os.OpenFile(t.Path, os.O_WRONLY, 0) }
