package decisions

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/figures"
	"github.com/modelparity/modelparity/tensor"
)

// Estimate is a number with the two ends of its 95 % confidence interval.
type Estimate struct {
	Value float64 `json:"value"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// String returns text such as "0.41 (0.37 to 0.45 at 95 % confidence)".
func (e Estimate) String() string {
	return fmt.Sprintf("%s (%s to %s at 95 %% confidence)", figures.Short(e.Value),
		figures.Short(e.Least), figures.Short(e.Most))
}

// resamples is the number of times that a bootstrap draws a set of images.
const resamples = 1000

// AveragePrecision returns COCO's AP of a labelled set, exactly as [COCO] computes it. The 95 %
// confidence interval comes from Efron's percentile bootstrap over the images, with a thousand
// draws. The random draws are the same in every call. It is an error if there are fewer than two
// images, or if no image has an object.
func AveragePrecision(images []Labelled) (Estimate, error) {
	if err := enough(images); err != nil {
		return Estimate{}, err
	}
	var drawn []float64
	drawing := evaluate(ordered(images)[0])
	draw(len(images), func(times []int) { drawn = append(drawn, drawing.precision(times)) })
	return estimateOf(evaluate(images).precision(nil), drawn), nil
}

// estimateOf returns the value with the 95 % confidence interval that follows from the drawn
// values. It sorts the drawn values.
func estimateOf(value float64, drawn []float64) Estimate {
	slices.Sort(drawn)
	return Estimate{value, percentile(drawn, 0.025), percentile(drawn, 0.975)}
}

// enough returns an error if there are too few images for an estimate.
func enough(images []Labelled) error {
	objects := slices.ContainsFunc(images, func(i Labelled) bool {
		return slices.ContainsFunc(i.Truth, func(t Truth) bool { return !t.Crowd })
	})
	if len(images) < 2 || !objects {
		return fmt.Errorf("decisions: precision: want at least two images and one labelled object, "+
			"got %d images", len(images))
	}
	return nil
}

// ordered sorts the images of each run by their contents, so that the given order of the images
// does not affect a bootstrap's draws.
func ordered(sides ...[]Labelled) [][]Labelled {
	keys := make([]string, len(sides[0]))
	for i, image := range sides[0] {
		var b strings.Builder
		fmt.Fprint(&b, image.Truth)
		for _, side := range sides {
			b.WriteByte(';')
			for _, d := range side[i].Found {
				fmt.Fprint(&b, d.Box, d.Score, d.Class)
			}
		}
		keys[i] = b.String()
	}
	order := places(len(keys))
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(keys[i], keys[j]) })
	sorted := make([][]Labelled, len(sides))
	for s, side := range sides {
		for _, i := range order {
			sorted[s] = append(sorted[s], side[i])
		}
	}
	return sorted
}

// draw makes a thousand draws of n images from n images, with replacement. After each draw it calls
// visit, with the number of times that each image was drawn.
func draw(n int, visit func(times []int)) {
	r := rand.New(rand.NewPCG(18, uint64(n)))
	times := make([]int, n)
	for range resamples {
		clear(times)
		for range n {
			times[r.IntN(n)]++
		}
		visit(times)
	}
}

// percentile returns the q-quantile of the sorted values, rounded up to one of them.
func percentile(sorted []float64, q float64) float64 {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// evaluation contains, for each class, the results for every detection in descending order of
// score.
type evaluation []classEvaluation

type classEvaluation struct {
	found   []judged
	objects []int // the number of objects in each image
}

// evaluate matches the detections in each image with its objects, class by class.
func evaluate(images []Labelled) (all evaluation) {
	classes := map[int]bool{}
	for _, image := range images {
		for _, t := range image.Truth {
			classes[t.Class] = true
		}
	}
	for _, class := range slices.Sorted(maps.Keys(classes)) { // because the order affects the sum
		var c classEvaluation
		for i, image := range images {
			found, objects := judge(image, class)
			for k := range found {
				found[k].image = i
			}
			c.found, c.objects = append(c.found, found...), append(c.objects, objects)
		}
		slices.SortStableFunc(c.found, func(x, y judged) int { return cmp.Compare(y.score, x.score) })
		all = append(all, c)
	}
	return all
}

// curves returns the precision at each recall, for each class and threshold. times says how often
// the evaluated set contains each image; nil means once. Classes without an object are left out.
func (e evaluation) curves(times []int) (precision [][]float64) {
	for _, c := range e {
		objects, found := 0, c.found
		if times != nil {
			found = nil
			for _, d := range c.found {
				for range times[d.image] {
					found = append(found, d)
				}
			}
		}
		for i, n := range c.objects {
			if times != nil {
				n *= times[i]
			}
			objects += n
		}
		if objects == 0 {
			continue
		}
		for t := range cocoThresholds {
			precision = append(precision, curveOf(found, t, objects))
		}
	}
	return precision
}

// precision returns the AP of a set that contains each image the given number of times, or −1 if no
// image in the set has an object.
func (e evaluation) precision(times []int) float64 {
	return known(e.curves(times))
}

// AveragePrecisionLoss limits how much lower a detector's AP (as COCO defines it) may be than the
// expected run's AP on the same labelled images. With 95 % confidence, the loss must not exceed
// Most. To check that, a paired bootstrap draws a thousand sets of images, and the loss must be
// within the limit in 95 % of the draws. With few images, the measured loss must be much lower than
// Most.
type AveragePrecisionLoss struct {
	Layout Layout
	Truth  [][]Truth // the objects in the images of all iterations
	Most   float64
}

// text returns the rule in words, such as "AP on 100 labelled images, at most 0.01 lost with 95 %
// confidence".
func (r AveragePrecisionLoss) text() string {
	return fmt.Sprintf("AP on %d labelled images, at most %s lost with 95 %% confidence", len(r.Truth),
		figures.Exact(r.Most))
}

func (r AveragePrecisionLoss) validate() error {
	return errors.Join(r.Layout.validate(), share("the drop in AP", r.Most),
		enough(labelledImages(r.Truth, nil)))
}

// labelledImages combines the objects and the detections of each image. found may be shorter than
// truth.
func labelledImages(truth [][]Truth, found [][]Detection) []Labelled {
	images := make([]Labelled, len(truth))
	for i := range truth {
		images[i] = Labelled{Truth: truth[i], Found: imageOf(found, i)}
	}
	return images
}

// Labelled pairs the detections in each image, over all iterations of outputs, with the objects
// that are really in that image (truth).
func (l Layout) Labelled(outputs []*tensor.Set, truth [][]Truth) ([]Labelled, error) {
	if err := l.validate(); err != nil {
		return nil, fmt.Errorf("decisions: %w", err)
	}
	var found [][]Detection
	for i, set := range outputs {
		images, err := l.images(set, 0)
		if err != nil {
			return nil, fmt.Errorf("decisions: iteration %d: %w", i, err)
		}
		found = append(found, images...)
	}
	if len(found) > len(truth) || len(found) < len(truth) && l.byAxis() {
		return nil, fmt.Errorf("decisions: the run has %d images, but %d are labelled", len(found),
			len(truth))
	}
	return labelledImages(truth, found), nil
}

func (r AveragePrecisionLoss) judge(actual, expected []*tensor.Set, f *Findings) error {
	f.Outputs, f.Allowed = r.Layout.outputs(), inf
	before, err := r.Layout.Labelled(expected, r.Truth)
	if err != nil {
		return fmt.Errorf("the expected run: %w", err)
	}
	after, err := r.Layout.Labelled(actual, r.Truth)
	if err != nil {
		return mismatch("the actual run: " + err.Error())
	}
	a, e := evaluate(after), evaluate(before)
	sides := ordered(after, before)
	drawnA, drawnE := evaluate(sides[0]), evaluate(sides[1])
	var losses, ofA, ofE []float64
	draw(len(r.Truth), func(times []int) {
		x, y := drawnA.precision(times), drawnE.precision(times)
		ofA, ofE, losses = append(ofA, x), append(ofE, y), append(losses, y-x)
	})
	slices.Sort(losses)
	is, was := estimateOf(a.precision(nil), ofA), estimateOf(e.precision(nil), ofE)
	f.Notes = append(f.Notes, fmt.Sprintf("AP: actual %v, expected %v", is, was))
	f.tell("drop in AP", was.Value-is.Value)
	f.atMost("upper bound of the loss at 95 % confidence", percentile(losses, 0.95), r.Most, 0,
		percentile(ofE, 0.95)) // a run that finds nothing has an AP of 0
	return nil
}
