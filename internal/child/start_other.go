//go:build !unix

package child

import "os"

func (p *Process) start(Program, *os.File, *os.File) error { return ErrUnsupported }
