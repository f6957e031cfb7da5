package plots

import (
	"image/color"
	"math"
)

// The colours of texts and marks, and of values that the colour scale cannot show. They also differ
// in lightness, so that they can be distinguished in print and with any colour vision.
var (
	white   = color.RGBA{255, 255, 255, 255}
	black   = color.RGBA{20, 20, 20, 255}
	grey    = color.RGBA{120, 120, 120, 255}
	equal   = color.RGBA{228, 228, 228, 255}
	notANum = color.RGBA{255, 0, 255, 255}
	endless = color.RGBA{255, 60, 0, 255}
)

// ramp is viridis (Nathaniel Smith and Stéfan van der Walt, CC0), from dark to light, in nine
// steps.
var ramp = [...]color.RGBA{
	{68, 1, 84, 255}, {72, 40, 120, 255}, {62, 74, 137, 255}, {49, 104, 142, 255},
	{38, 130, 142, 255}, {31, 158, 137, 255}, {53, 183, 121, 255}, {110, 206, 88, 255},
	{253, 231, 37, 255},
}

// shades is the number of colours on the scale. Readers could not distinguish more colours, and
// more would make files larger.
const shades = 64

// shade returns a colour of the scale: the darkest for the fraction 0, and the lightest for 1.
func shade(fraction float64) color.RGBA {
	at := math.Round(min(max(fraction, 0), 1)*shades) / shades * float64(len(ramp)-1)
	i := min(int(at), len(ramp)-2)
	mix := func(a, b uint8) uint8 {
		return uint8(float64(a) + (float64(b)-float64(a))*(at-float64(i)) + 0.5)
	}
	a, b := ramp[i], ramp[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}
