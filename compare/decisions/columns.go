package decisions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/tensor"
)

// columns says at which position each number is in a row; −1 means that the rows lack the number.
type columns struct {
	box                                             [4]int
	form                                            boxForm
	score, class, image, objectness, classes, width int
}

// boxForm names the four numbers that describe a box, such as x, y, w and h.
type boxForm [4]string

var (
	corners    = boxForm{"x0", "y0", "x1", "y1"}
	cornerSize = boxForm{"x", "y", "w", "h"}
	centerSize = boxForm{"cx", "cy", "w", "h"}
	boxForms   = []boxForm{corners, cornerSize, centerSize}
)

func (l Layout) columns() (columns, error) {
	text := l.Columns
	if text == "" && l.Packed == "" {
		text = strings.Join(corners[:], " ")
	}
	names := strings.Fields(text)
	c := columns{width: len(names)}
	at := func(name string) int { return slices.Index(names, name) }
	for i, name := range names {
		known := []string{"score", "class", "image", "objectness", "classes", "_"}
		for _, form := range boxForms {
			known = append(known, form[:]...)
		}
		if !slices.Contains(known, name) {
			return c, fmt.Errorf("columns %q: unknown column %q; want a box (x0 y0 x1 y1, x y w h or cx cy "+
				"w h), score, class, classes, objectness, image or _", text, name)
		}
		if name != "_" && slices.Contains(names[:i], name) {
			return c, fmt.Errorf("columns %q: %q is named twice", text, name)
		}
	}
	for _, c.form = range boxForms {
		for i, name := range c.form {
			c.box[i] = at(name)
		}
		if !slices.Contains(c.box[:], -1) {
			break
		}
	}
	if slices.Contains(c.box[:], -1) {
		return c, fmt.Errorf("columns %q contain no box: want x0 y0 x1 y1, x y w h or cx cy w h", text)
	}
	c.score, c.class, c.image = at("score"), at("class"), at("image")
	c.objectness, c.classes = at("objectness"), at("classes")
	byClass := c.score >= 0 && c.class >= 0 && c.classes < 0 && c.objectness < 0
	byClasses := c.classes >= 0 && c.score < 0 && c.class < 0
	switch {
	case l.Packed == "" && len(names) != 4:
		return c, fmt.Errorf("columns %q: without Packed, list only the four columns of a box", text)
	case l.Packed != "" && !byClass && !byClasses:
		return c, fmt.Errorf("columns %q: want either score and class, or classes with an optional "+
			"objectness", text)
	case c.classes >= 0 && c.classes != len(names)-1:
		return c, fmt.Errorf("columns %q: classes must come last, because it stands for all "+
			"remaining columns", text)
	}
	return c, nil
}

func (c columns) boxOf(row []float64) Box {
	var v [4]float64
	for i, at := range c.box {
		v[i] = row[at]
	}
	switch c.form {
	case cornerSize:
		return Box{v[0], v[1], v[0] + v[2], v[1] + v[3]}
	case centerSize:
		w, h := float64(v[2]/2), float64(v[3]/2)
		return Box{v[0] - w, v[1] - h, v[0] + w, v[1] + h}
	}
	return Box(v)
}

// packed reads the detections from a single tensor with one row per box.
func (l Layout) packed(outputs *tensor.Set, least float64) ([][]Detection, error) {
	c, _ := l.columns() // validate has checked them
	t, values, err := read(outputs, l.Packed)
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(t.Shape())
	if len(shape) < 2 {
		return nil, fmt.Errorf("output %q %v: want at least two axes, for boxes and for columns",
			l.Packed, shape)
	}
	n, width := shape[len(shape)-2], shape[len(shape)-1]
	if l.ChannelsFirst {
		n, width = width, n
	}
	images, _ := shape[:len(shape)-2].Elements()
	if width != c.width && !(c.classes >= 0 && width >= c.width) {
		return nil, fmt.Errorf("output %q %v has %d columns, but %q names %d", l.Packed, t.Shape(),
			width, l.Columns, c.width)
	}
	if c.image >= 0 && images != 1 {
		return nil, fmt.Errorf("output %q %v already has an image axis: in Columns, write \"_\" "+
			"instead of \"image\"", l.Packed, t.Shape())
	}
	row := make([]float64, width)
	found := make([][]Detection, images)
	for i := range images * n {
		image := i / n
		for k := range row {
			if l.ChannelsFirst {
				row[k] = values[(image*width+k)*n+i%n]
			} else {
				row[k] = values[i*width+k]
			}
		}
		d := c.detection(row)
		if c.image >= 0 {
			number := row[c.image]
			if number < 0 {
				continue
			}
			if image = n; number < float64(n) {
				image = int(number)
			}
			if image >= n { // an image without any row cannot have a number, so the number is wrong
				return nil, fmt.Errorf("output %q: row %d has the image number %v: want less than %d, "+
					"the number of rows", l.Packed, i, number, n)
			}
			for len(found) <= image {
				found = append(found, nil)
			}
		}
		if d.Class >= 0 && !(d.Score < least) {
			d.Scores = slices.Clone(d.Scores)
			found[image] = append(found[image], d)
		}
	}
	return found, nil
}

func (c columns) detection(row []float64) Detection {
	d := Detection{Box: c.boxOf(row)}
	if c.classes < 0 {
		d.set(row[c.score], row[c.class])
		return d
	}
	factor := 1.
	if c.objectness >= 0 {
		factor = row[c.objectness]
	}
	d.choose(row[c.classes:], factor)
	return d
}
