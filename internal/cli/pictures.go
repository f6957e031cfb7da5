package cli

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/internal/cli/arguments"
	"github.com/modelparity/modelparity/report/plots"
)

// pictureFlags returns the flags that ask for pictures of a comparison.
func (o *outputs) pictureFlags() []arguments.Flag {
	return []arguments.Flag{
		o.writes("--save-heatmaps DIR", ""),
		arguments.Spelled("--show-heatmaps", arguments.Set(&o.show[plots.HeatMaps])),
		o.writes("--save-error-metrics-plot DIR", ""),
		arguments.Spelled("--show-error-metrics-plot", arguments.Set(&o.show[plots.Metrics])),
	}
}

// pictures returns, for each kind of picture, the folder to save it in, or "" if that kind is not
// saved.
func (o *outputs) pictures() [2]string {
	return [2]string{plots.HeatMaps: o.Path("--save-heatmaps"),
		plots.Metrics: o.Path("--save-error-metrics-plot")}
}

// draws reports whether a flag asks for pictures, saved or shown.
func (o *outputs) draws() bool { return o.pictures() != [2]string{} || o.show != [2]bool{} }

// draw saves and opens the pictures that the flags ask for. Pictures that are opened but not saved
// stay in a new temporary folder, because viewers may open them later.
func (o *outputs) draw(pairs []compare.Pair) (all plots.Saved, err error) {
	for i, folder := range o.pictures() {
		if folder == "" && o.show[i] {
			if folder, err = os.MkdirTemp("", "modelparity-"); err != nil {
				return all, err
			}
		}
		if folder == "" {
			continue
		}
		saved, err := plots.Save(folder, pairs, plots.Kind(i))
		all.Files, all.Notes = append(all.Files, saved.Files...), append(all.Notes, saved.Notes...)
		if err != nil {
			return all, err
		}
		if o.show[i] {
			all.Notes = append(all.Notes, showFirst(saved.Files)...)
		}
	}
	return all, nil
}

// mostShown is the largest number of pictures that [showFirst] opens.
const mostShown = 8

// showFirst opens the first few pictures. If a picture cannot be opened, it opens no more, and
// returns a note that says why.
func showFirst(files []string) []string {
	for _, file := range files[:min(mostShown, len(files))] {
		if err := show(file); err != nil {
			return []string{err.Error()}
		}
	}
	return nil
}

// show opens a picture in the desktop's default program and does not wait for it. If there is no
// display or no such program, it returns an error that names the file.
func show(path string) error {
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
	go func() { _ = viewer.Wait() }() // reap the viewer; its status does not matter
	return nil
}
