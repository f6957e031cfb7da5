package jsonfloat_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/modelparity/modelparity/internal/jsonfloat"
)

func TestFloatsReadBack(t *testing.T) {
	for v, want := range map[float64]string{
		math.Inf(1): `"Infinity"`, math.Inf(-1): `"-Infinity"`, 0: "0", 0.1: "0.1", 1e21: "1e+21",
		-1e-7: "-1e-07", math.SmallestNonzeroFloat64: "5e-324",
		math.MaxFloat64: "1.7976931348623157e+308",
	} {
		text, err := json.Marshal(jsonfloat.Float(v))
		if err != nil || string(text) != want {
			t.Errorf("%v is %s in JSON (%v), want %s", v, text, err, want)
		}
		var read jsonfloat.Float
		if err := json.Unmarshal(text, &read); err != nil || float64(read) != v {
			t.Errorf("%s reads as %v (%v), want %v", text, read, err, v)
		}
	}
	text, err := json.Marshal([]jsonfloat.Float{jsonfloat.Float(math.NaN())})
	var read []jsonfloat.Float
	if err != nil || json.Unmarshal(text, &read) != nil || read[0] == read[0] {
		t.Errorf("NaN is %s in JSON (%v) and reads as %v", text, err, read)
	}
}

func TestWhatIsNoNumberIsAnError(t *testing.T) {
	for _, text := range []string{`"nan"`, `"inf"`, `true`, `[1]`, `{}`, `"1"`} {
		var read jsonfloat.Float
		if err := json.Unmarshal([]byte(text), &read); err == nil {
			t.Errorf("%s reads as %v", text, read)
		}
	}
}

func TestStructsWithNumbersThatJSONLacks(t *testing.T) {
	type inner struct {
		Worst []float64 `json:"worst"`
	}
	type outer struct {
		Max    float64  `json:"max"`
		ULP    *float64 `json:"ulp,omitempty"`
		All    []inner  `json:"all"`
		Inner  *inner   `json:"inner,omitempty"`
		Name   string   `json:"name"`
		hidden float64
	}
	v := outer{Max: math.NaN(), All: []inner{{[]float64{math.Inf(1), 1.5}}}, Name: "x", hidden: 7}
	text, err := json.Marshal(jsonfloat.Of(&v))
	if want := `{"max":"NaN","all":[{"worst":["Infinity",1.5]}],"name":"x"}`; err != nil ||
		string(text) != want {
		t.Fatal(string(text), err)
	}
	back := outer{hidden: 8}
	if err := json.Unmarshal(text, jsonfloat.Of(&back)); err != nil || back.Max == back.Max ||
		!math.IsInf(back.All[0].Worst[0], 1) || back.All[0].Worst[1] != 1.5 || back.hidden != 8 {
		t.Fatal(back, err)
	}
}
