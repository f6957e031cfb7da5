package plots

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// shown is the maximum number of pictures that [ShowAll] opens.
const shown = 8

// ShowAll opens the first eight pictures with [Show]. It returns notes about the rest, and about
// where the files are if there is no display.
func ShowAll(files []string) (notes []string) {
	for i, file := range files {
		if i == shown {
			return append(notes, fmt.Sprintf("%d more pictures are in the folder of %s", len(files)-i, file))
		}
		if err := Show(file); err != nil {
			note := err.Error()
			if more := len(files) - i - 1; more > 0 {
				note += fmt.Sprintf(" (and %d more in its folder)", more)
			}
			return append(notes, note)
		}
	}
	return notes
}

// Show opens a picture in the desktop's program without waiting. Without a display or such a
// program, it returns an error that names the file.
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
		return fmt.Errorf("cannot show %s: %w; open the file yourself", path, err)
	}
	go func() { _ = viewer.Wait() }() // reap the viewer; its exit status does not matter
	return nil
}
