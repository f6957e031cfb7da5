package plots

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// shown is how many pictures [ShowAll] opens at most.
const shown = 8

// ShowAll opens pictures by [Show], the first eight of them, and gives what there is to say of
// that: where there is no display, that and where the files are.
func ShowAll(files []string) (notes []string) {
	for i, file := range files {
		if i == shown {
			return append(notes, fmt.Sprintf("%d more pictures are beside %s", len(files)-i, file))
		}
		if err := Show(file); err != nil {
			note := err.Error()
			if more := len(files) - i - 1; more > 0 {
				note += fmt.Sprintf(" (and %d more beside it)", more)
			}
			return append(notes, note)
		}
	}
	return notes
}

// Show opens a picture in the program that the desktop has for it, and does not wait for that. On a
// machine without a display, or without such a program, it is an error that names the file.
func Show(path string) error {
	program, args := "xdg-open", []string{path}
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, args = "rundll32", []string{"url.dll,FileProtocolHandler", path}
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return fmt.Errorf("no display to show %s on: DISPLAY and WAYLAND_DISPLAY are not set; open the "+
				"file elsewhere", path)
		}
	}
	viewer := exec.Command(program, args...)
	if err := viewer.Start(); err != nil {
		return fmt.Errorf("%s is not shown: %w; open the file yourself", path, err)
	}
	go func() { _ = viewer.Wait() }() // how the viewer ends is the reader's business
	return nil
}
