package replay

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelparity/modelparity/internal/trtabi"
)

// recorded is a file that Polygraphy 0.53.6 wrote (testdata/tactics.py).
func recorded(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../../backends/trt/testdata/tactics.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestReplayIsReadAndWrittenAsPolygraphyWritesIt(t *testing.T) {
	data := recorded(t)
	r, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	layers := []string{"conv1 + <relu1>", "été \"1\"\\\n𝄞", "nothing"}
	if !slices.Equal(r.layers, layers) {
		t.Errorf("the layers are %q and not %q", r.layers, layers)
	}
	want := trtabi.Tactic{Implementation: 2147483657, Tactic: -3771404872543524124,
		Inputs: []trtabi.TacticTensor{{Type: trtabi.Float32, Strides: []int{784, 784, 28, 1},
			VectorizedDim: -1, Components: 1}},
		Outputs: []trtabi.TacticTensor{{Type: trtabi.Float16, Strides: []int{25088, 784, 28, 1},
			VectorizedDim: 1, Components: 8}}}
	if got := r.tactics["conv1 + <relu1>"]; !got.Equal(want) {
		t.Errorf("the tactic is %+v and not %+v", got, want)
	}
	if got := r.Encode(); !bytes.Equal(got, data) {
		t.Errorf("written again it is\n%s", got)
	}
}

func TestTacticsDifferInAnyPart(t *testing.T) {
	r, err := Parse(recorded(t))
	if err != nil {
		t.Fatal(err)
	}
	tactic := r.tactics[r.layers[0]]
	for name, change := range map[string]func(*trtabi.Tactic){
		"implementation": func(t *trtabi.Tactic) { t.Implementation++ },
		"tactic":         func(t *trtabi.Tactic) { t.Tactic++ },
		"inputs":         func(t *trtabi.Tactic) { t.Inputs = nil },
		"outputs":        func(t *trtabi.Tactic) { t.Outputs = append(t.Outputs, t.Outputs[0]) },
		"type":           func(t *trtabi.Tactic) { t.Inputs[0].Type = trtabi.Int8 },
		"strides":        func(t *trtabi.Tactic) { t.Inputs[0].Strides = []int{784, 1, 28, 1} },
		"vectorized_dim": func(t *trtabi.Tactic) { t.Outputs[0].VectorizedDim = 2 },
		"components":     func(t *trtabi.Tactic) { t.Outputs[0].Components = 16 },
	} {
		other := tactic
		other.Inputs, other.Outputs = slices.Clone(tactic.Inputs), slices.Clone(tactic.Outputs)
		if change(&other); other.Equal(tactic) {
			t.Errorf("another %s makes no difference", name)
		}
	}
}

func TestWhatIsNoReplayIsAnErrorThatSaysWhy(t *testing.T) {
	whole := string(recorded(t))
	for _, c := range []struct{ reason, from, to, want string }{
		{"not JSON", "{", "[", "not a tactic replay file: "},
		{"cut off", "\n}", "", "not a tactic replay file: "},
		{"another file of Polygraphy's", "TacticReplayData", "RunResults", `"RunResults", expected ` +
			"TacticReplayData; record it again"},
		{"an old file", `"polygraphy_class": "TacticReplayData"`, `"x": ""`,
			`or written by an old Polygraphy: polygraphy_class is "", expected`},
		{"no layers", `"replay": {`, `"others": {`, "the key replay must hold an object"},
		{"another class", `"Algorithm"`, `"Tactic"`, "expected one Algorithm with an implementation"},
		{"no tactic", `"tactic": -3771404872543524124,`, "", "one Algorithm with an implementation"},
		{"a number too big", "-3771404872543524124", "1e30", "cannot unmarshal"},
		{"no vectors", `"vectorized_dim": -1,`, "", "since 8.6"},
		{"no vectors, as null", `"vectorized_dim": -1`, `"vectorized_dim": null`, "since 8.6"},
		{"an unknown type", "DataType.HALF", "DataType.FP2", `tensor 1: unknown element type "Data`},
		{"a layer twice", `"nothing"`, `"conv1 + <relu1>"`, `layer "conv1 + <relu1>" appears twice`},
	} {
		if !strings.Contains(whole, c.from) {
			t.Fatalf("%s: the file has no %s", c.reason, c.from)
		}
		_, err := Parse([]byte(strings.Replace(whole, c.from, c.to, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, and not %s", c.reason, err, c.want)
		}
	}
	_, err := Parse([]byte(`{"replay": {}, "polygraphy_class": "TacticReplayData"}`))
	if err == nil || !strings.Contains(err.Error(), "has no layers") {
		t.Errorf("a file without layers: %v", err)
	}
}

func TestTypesThatAreUnknownHereAreRefusedWhenTheyAreRead(t *testing.T) {
	for _, elem := range []trtabi.DataType{-1, trtabi.DataType(len(trtabi.DataTypes))} {
		var r File
		r.Add("layer", trtabi.Tactic{Outputs: []trtabi.TacticTensor{{Type: elem}}})
		if _, err := Parse(r.Encode()); err == nil || !strings.Contains(err.Error(),
			fmt.Sprintf(`unknown element type "DataType.type %d"`, elem)) {
			t.Errorf("element type %d is read again with the error %v", elem, err)
		}
	}
}

// Whatever a file holds, what is read from it is written as the same.
func FuzzParseReplay(f *testing.F) {
	whole := recorded(f)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(`{"replay": {}, "polygraphy_class": "TacticReplayData"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse(data)
		if err != nil {
			return
		}
		written := r.Encode()
		again, err := Parse(written)
		if err != nil {
			t.Fatalf("%v of\n%s", err, written)
		}
		if !slices.Equal(again.layers, r.layers) {
			t.Errorf("layers %q are read again as %q", r.layers, again.layers)
		}
		for layer, tactic := range r.tactics {
			if !tactic.Equal(again.tactics[layer]) {
				t.Errorf("%q: %+v is read again as %+v", layer, tactic, again.tactics[layer])
			}
		}
	})
}
