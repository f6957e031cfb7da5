package terminal

import "golang.org/x/sys/windows"

func interactive(fd uintptr) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(fd), &mode) == nil &&
		mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0
}
