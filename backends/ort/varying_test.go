package ort

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/fixtures"
	"github.com/modelparity/modelparity/loaders"
	"github.com/modelparity/modelparity/tensor"
)

func TestVarying(t *testing.T) {
	sets := func(lengths ...int) fixtures.Inputs {
		var list []*tensor.Set
		for _, n := range lengths {
			set, err := tensor.NewSet(tensor.Entry{Name: "x", Tensor: tensor.Of(make([]float32, n)...)})
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			list = append(list, set)
		}
		return fixtures.Of(list...)
	}
	free := []loaders.Value{{Name: "x", HasShape: true, Dims: []loaders.Dim{{Size: -1}}}}
	fixed := []loaders.Value{{Name: "x", HasShape: true, Dims: []loaders.Dim{{Size: 3}}}}
	undeclared := []loaders.Value{{Name: "x"}}
	for _, c := range []struct {
		what     string
		declared []loaders.Value
		lengths  []int
		varies   bool
	}{
		{"another length", free, []int{3, 4}, true},
		{"a length that comes fourth", free, []int{3, 3, 3, 4}, true},
		{"one length", free, []int{3, 3, 3, 3, 3}, false},
		{"one run", free, []int{3}, false},
		{"no shape declared", undeclared, []int{3, 4}, true},
		{"a shape that is fixed", fixed, []int{3, 4}, false},
	} {
		NewWithT(t).Expect(varying(c.declared, sets(c.lengths...))).To(Equal(c.varies), c.what)
	}
}
