package backends_test

import (
	"reflect"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/backends/fake"
	"github.com/modelparity/modelparity/backends/isolated"
	"github.com/modelparity/modelparity/decode"
)

// capable is an engine that can do what it is given.
type capable struct {
	backends.Engine
	can *backends.Capabilities
}

func (c capable) Capabilities() backends.Capabilities { return *c.can }

var (
	anEngine = reflect.TypeFor[backends.Engine]()
	engines  = reflect.TypeFor[[]backends.Engine]()
	releases = reflect.TypeFor[[]backends.Release]()
)

// fills is a function that returns an engine wherever one is returned, and else nothing.
func fills(of reflect.Type, e backends.Engine) reflect.Value {
	return reflect.MakeFunc(of, func([]reflect.Value) []reflect.Value {
		results := make([]reflect.Value, of.NumOut())
		for i := range results {
			switch t := of.Out(i); t {
			case anEngine:
				results[i] = reflect.ValueOf(&e).Elem()
			case engines:
				results[i] = reflect.ValueOf([]backends.Engine{e, e})
			case releases:
				results[i] = reflect.ValueOf([]backends.Release{{Engine: e}})
			default:
				results[i] = reflect.Zero(t)
			}
		}
		return results
	})
}

var _ = Describe("What an engine can do", func() {
	fields := reflect.VisibleFields(reflect.TypeFor[backends.Capabilities]())
	plain := fake.Engine()

	// Whoever adds a wrapper adds it here, with what it cannot forward and why.
	for name, wrapper := range map[string]struct {
		around func(backends.Engine) backends.Engine
		own    []string // it has these whatever the engine has
		lacks  []string
		asks   []string // these ask for more than zero arguments, and have specs of their own
	}{
		"isolated": {
			around: func(e backends.Engine) backends.Engine { return isolated.Engine(e) },
			own:    []string{"Log", "Reference"},   // a process has a log of its own
			asks:   []string{"Computed", "Passes"}, // the process for a model
			lacks:  []string{"Neighborly"},         // it is another process
		},
		"decode": {
			around: func(e backends.Engine) backends.Engine { return decode.Engine(e) },
			own:    []string{"Reference"}, // any engine can be driven
			asks:   []string{"Parts"},     // of a decoder
			// A decoder's iteration has many inferences, which use these themselves.
			lacks: []string{"RunWithTensors", "Loop", "Rewind"},
		},
		"Around": {
			own:   []string{"Reference"},
			lacks: []string{"RunWithTensors", "Loop", "Rewind"}, // need what the wrapped one opened
			around: func(e backends.Engine) backends.Engine {
				c := backends.CapabilitiesOf(e).Around(plain,
					func(backends.Engine) backends.Engine { return capable{plain, nil} })
				return capable{plain, &c}
			},
		},
	} {
		for _, field := range fields {
			It("is what it can do in "+name+": "+field.Name, func() {
				can := backends.Capabilities{}
				reflect.ValueOf(&can).Elem().FieldByIndex(field.Index).Set(fills(field.Type, plain))
				wrapped := wrapper.around(capable{plain, &can})
				got := reflect.ValueOf(backends.CapabilitiesOf(wrapped))
				for _, other := range fields {
					has := other.Name == field.Name && !slices.Contains(wrapper.lacks, field.Name) ||
						slices.Contains(wrapper.own, other.Name)
					// How the parts of an engine are measured is a caution of the process.
					if name == "isolated" && field.Name == "Parts" && other.Name == "Caution" {
						has = true
					}
					Expect(!got.FieldByIndex(other.Index).IsNil()).To(Equal(has), other.Name)
				}
				if slices.Contains(append(wrapper.lacks, wrapper.asks...), field.Name) {
					return
				}
				if slices.Contains([]string{"Reweigh", "RunWithTensors", "Loop", "Rewind"}, field.Name) {
					return // they need a model
				}
				f := got.FieldByIndex(field.Index)
				arguments := make([]reflect.Value, f.Type().NumIn())
				for i := range arguments {
					arguments[i] = reflect.Zero(f.Type().In(i))
				}
				for _, result := range f.Call(arguments) {
					switch result.Type() {
					case anEngine:
						Expect(result.Interface()).To(BeAssignableToTypeOf(wrapped))
					case engines:
						Expect(result.Interface()).To(And(HaveLen(2),
							HaveEach(BeAssignableToTypeOf(wrapped))))
					case releases:
						Expect(result.Interface()).To(HaveExactElements(HaveField("Engine",
							BeAssignableToTypeOf(wrapped))))
					}
				}
			})
		}
	}

	It("is nothing where it tells nothing, as for a type that embeds it", func() {
		Expect(backends.CapabilitiesOf(nil)).To(BeZero())
		Expect(backends.CapabilitiesOf(plain)).To(BeZero())
		can := backends.Capabilities{Neighborly: func() bool { return true }}
		type embedding struct{ backends.Engine }
		Expect(backends.CapabilitiesOf(embedding{capable{plain, &can}})).To(BeZero())
		Expect(backends.Neighborly(capable{plain, &can}, plain)).To(BeFalse())
		Expect(backends.Neighborly(capable{plain, &can})).To(BeTrue())
	})
})
