package transforms_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/ort"
	"github.com/modelparity/modelparity/compare"
	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/loaders/edit"
	. "github.com/modelparity/modelparity/matchers"
	"github.com/modelparity/modelparity/tensor"
)

// score is the result of a change for all models.
type score struct {
	held, nothing, unchecked int
	farthest                 float64 // greatest distance from the original, relative to its norm
	where                    string
}

var _ = Describe("changes of models from the field", Ordered, ContinueOnFailure, func() {
	var python *checker
	scores := map[string]*score{}
	looked, skipped := 0, 0

	BeforeAll(func() {
		ort.Require(GinkgoT())
		python = startChecker()
		for _, t := range transforms {
			scores[t.name] = &score{}
		}
	})

	for _, file := range models() {
		It("keep their promise on "+title(file), func(ctx SpecContext) {
			folder := GinkgoT().TempDir()
			s, err := open(ctx, file, folder)
			if err != nil {
				skipped++
				if strings.Contains(err.Error(), "the system has no locale of that name") {
					Skip("ONNX Runtime's StringNormalizer needs the locale en_US.UTF-8 on this system")
				}
			}
			Expect(err).NotTo(HaveOccurred())
			looked++
			var wrong []string
			written := []string{filepath.Join(folder, "original.onnx")}
			var names []string
			for _, t := range transforms {
				c, err := t.do(ctx, s)
				if errors.Is(err, errNothing) {
					scores[t.name].nothing++
					continue
				}
				path := filepath.Join(folder, fmt.Sprint(len(written), ".onnx"))
				if err == nil {
					err = c.model.Save(path)
				}
				if err == nil {
					written, names = append(written, path), append(names, t.name)
					if c.rounded {
						t.promise = inFloat16
					}
					err = scores[t.name].hold(ctx, t.promise, loaders.ONNX(path), c, title(file))
				}
				if err != nil {
					wrong = append(wrong, t.name+": "+err.Error())
				}
			}
			refused := python.refuses(written...)
			for i, path := range written[1:] {
				switch before := refused[written[0]]; {
				case before != "":
					scores[names[i]].unchecked++
				case refused[path] != "":
					wrong = append(wrong, names[i]+": ONNX's checker: "+refused[path])
				}
			}
			Expect(wrong).To(BeEmpty(), "%s", strings.Join(wrong, "\n"))
		})
	}

	AfterAll(func() {
		page := table(scores, looked, skipped)
		GinkgoWriter.Println(page)
		if file := os.Getenv("MODELPARITY_TRANSFORMS_PAGE"); file != "" {
			Expect(publish(file, page)).To(Succeed())
		}
	})
})

// open runs a model unchanged.
func open(ctx context.Context, file, folder string) (*subject, error) {
	GinkgoHelper()
	s := &subject{model: loaders.ONNX(unpacked(file, folder))}
	s.inputs = fixtures.LoadFor(s.model, filepath.Join(filepath.Dir(file), "inputs.npz"))
	var err error
	if s.run, err = plain(ctx, s.model, s.inputs); err != nil {
		return nil, err
	}
	s.shaped, err = edit.InferShapes(ctx, s.model, ort.EditEngine())
	return s, err
}

// hold runs the changed model and checks the change's promise.
func (s *score) hold(ctx context.Context, p promise, m *loaders.Model, c changed,
	name string) error {
	got, err := plain(ctx, m, c.inputs)
	if err != nil {
		return err
	}
	if p == sameBits {
		same := MatchOutputsWithin(0, 0, Elementwise).Of(c.want).
			Under(compare.Options{NaNEqual: true, InfinitiesEqual: true})
		passed, err := same.Match(got)
		if err == nil && !passed {
			err = errors.New(same.FailureMessage(got))
		}
		if err == nil {
			s.held++
		}
		return err
	}
	selects, err := choosing(m)
	if err != nil {
		return err
	}
	far, err := distance(got, c.want, p, selects)
	if err != nil {
		return err
	}
	if far > s.farthest {
		s.farthest, s.where = far, name
	}
	if p == inFloat16 && far > 0.05 {
		return fmt.Errorf("the outputs are %.3g of their norm away", far)
	}
	s.held++
	return nil
}

// choosing reports whether a model selects among its results, so that rounding can change its
// outputs and their number.
func choosing(m *loaders.Model) (bool, error) {
	operators, err := m.Operators()
	return operators["NonMaxSuppression"]+operators["TopK"] > 0, err
}

// distance is the greatest distance of float outputs from the expected ones, relative to their
// norm. Different types or shapes are an error, or for models that select, different ranks.
func distance(got, want *backends.Run, p promise, selects bool) (farthest float64, err error) {
	for name, w := range want.Outputs()[0].All() {
		g, there := got.Outputs()[0].Get(name)
		same := there && g.ElementType() == w.ElementType() && len(g.Shape()) == len(w.Shape())
		if !same || !selects && !g.Shape().Equal(w.Shape()) {
			return 0, fmt.Errorf("output %s is %v, expected %v", name, g, w)
		}
		if selects || p != inFloat16 || !w.ElementType().IsFloat() || w.ElementType() == tensor.Float16 {
			continue
		}
		apart, norm := 0.0, 0.0
		wanted := w.Float64s()
		for i, v := range g.Float64s() {
			apart, norm = apart+(v-wanted[i])*(v-wanted[i]), norm+wanted[i]*wanted[i]
		}
		if norm > 0 {
			farthest = max(farthest, math.Sqrt(apart/norm))
		}
	}
	return farthest, nil
}

// table returns the scores in Markdown.
func table(scores map[string]*score, looked, skipped int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d models that ONNX Runtime runs as they are, and %d that it does not.\n\n",
		looked, skipped)
	b.WriteString("| change | promises | held | nothing to do | farthest |\n" +
		"| --- | --- | ---: | ---: | --- |\n")
	for _, t := range transforms {
		s, far := scores[t.name], ""
		if t.promise == inFloat16 {
			far = fmt.Sprintf("%.2g of the norm, %s", s.farthest, s.where)
		}
		fmt.Fprintf(&b, "| %s | %s | %d of %d | %d | %s |\n", t.name, t.promise, s.held,
			looked-s.nothing, s.nothing, far)
	}
	fmt.Fprintf(&b, "\nONNX's checker accepts every file, except for %d models whose originals it "+
		"rejects.\n", scores[transforms[0].name].unchecked)
	return b.String()
}

// These lines enclose the table in the page.
const (
	begin = "<!-- changes: written by make transforms -->\n"
	end   = "<!-- end of changes -->\n"
)

// publish writes the table into the page.
func publish(file, table string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(text), begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return fmt.Errorf("%s has no place for the table", file)
	}
	return os.WriteFile(file, []byte(before+begin+"\n"+table+"\n"+end+after), 0o644)
}
