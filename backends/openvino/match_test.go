package openvino

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	abi "github.com/modelparity/modelparity/internal/openvino"
	"github.com/modelparity/modelparity/loaders"
)

func TestPortsAreMatchedByTheirOrder(t *testing.T) {
	for reason, row := range map[string]struct {
		declared, ports, has []string
		places               []int // -1 where the input is absent
		expected             string
	}{
		"all keep their names":  {[]string{"a", "b"}, []string{"a", "b"}, nil, []int{0, 1}, ""},
		"some lose their names": {[]string{"a", "b"}, []string{"y", "b"}, nil, []int{0, 1}, ""},
		"some are dropped": {[]string{"a", "b", "c"}, []string{"a", "c"}, []string{"a", "c"},
			[]int{0, -1, 1}, ""},
		"the name of one of its ports is another": {[]string{"a", "b", "c"}, []string{"a", "y"},
			[]string{"a", "c"}, []int{0, -1, 1}, ""},
		"two are one tensor, and have one name": {[]string{"y", "z", "b"}, []string{"z", "z", "b"}, nil,
			[]int{0, 1, 2}, ""},
		"two are one tensor, and the order is another": {[]string{"y", "z", "a", "b"},
			[]string{"z", "z", "b", "a"}, nil, nil, "z, z, b, a"},
		"none": {nil, nil, nil, []int{}, ""},
		"one is dropped and one loses its name": {[]string{"a", "b", "c"}, []string{"y", "c"},
			[]string{"c"}, nil, "the model declares 3 inputs, but OpenVINO finds 2, " +
				"which cannot be matched to them: y, c"},
		"the order is another": {[]string{"a", "b"}, []string{"b", "a"}, nil, nil, "b, a"},
	} {
		t.Run(reason, func(t *testing.T) {
			g := NewWithT(t)
			var declared []loaders.Value
			for _, name := range row.declared {
				declared = append(declared, loaders.Value{Name: name})
			}
			var ports []abi.Port
			for _, name := range row.ports {
				ports = append(ports, abi.Port{Name: name})
			}
			list, err := match("input", declared, ports,
				func(name string) bool { return slices.Contains(row.has, name) })
			if row.expected != "" {
				g.Expect(err).To(MatchError(HaveSuffix(row.expected)))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			places := []int{}
			for _, p := range list {
				if p.absent {
					p.place = -1
				}
				places = append(places, p.place)
			}
			g.Expect(places).To(Equal(row.places))
		})
	}
}
