//go:build linux || darwin

package main

import (
	"bufio"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	"github.com/modelparity/modelparity/fixtures/images"
)

// imageFiles returns hostile images. Users' specs read images, but no command of modelparity does.
// Therefore these attacks run [readImage] instead of a command.
func imageFiles() []bomb {
	read := []string{"image FILE"}
	black := func(width, height int) func(*bufio.Writer) {
		return func(w *bufio.Writer) {
			two := color.Palette{color.Black, color.White}
			_ = png.Encode(w, image.NewPaletted(image.Rect(0, 0, width, height), two))
		}
	}
	return []bomb{
		{"slim.png", black(16_777_216, 1), read},
		{"square.png", black(8000, 8000), read},
		{"thousand.png", black(1000, 1000), read},
		{"deep.png", func(w *bufio.Writer) {
			_ = png.Encode(w, image.NewNRGBA64(image.Rect(0, 0, 3000, 3000)))
		}, read},
		{"square.jpeg", func(w *bufio.Writer) {
			_ = jpeg.Encode(w, image.NewYCbCr(image.Rect(0, 0, 8000, 8000),
				image.YCbCrSubsampleRatio420), nil)
		}, read},
		{"photo.jpeg", func(w *bufio.Writer) {
			_ = jpeg.Encode(w, image.NewYCbCr(image.Rect(0, 0, 1600, 1200),
				image.YCbCrSubsampleRatio420), nil)
		}, read},
		{"progressive.jpeg", func(w *bufio.Writer) { progressive(w, 6000, 6000) }, read},
		{"small progressive.jpeg", func(w *bufio.Writer) { progressive(w, 900, 900) },
			read},
	}
}

// progressive writes the start of a JPEG whose coefficients must all be kept in memory until its
// end.
func progressive(w *bufio.Writer, width, height int) {
	_, _ = w.Write(append([]byte{0xff, 0xd8, 0xff, 0xc2, 0, 17, 8, byte(height >> 8), byte(height),
		byte(width >> 8), byte(width), 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0,
		0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0}, make([]byte, 100_000)...))
}

// readImage reads an image with package images, without resizing it.
func readImage(args []string) error {
	for _, err := range images.Files("x", images.Options{}, args...).All() {
		return err
	}
	return nil
}
