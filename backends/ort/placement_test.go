package ort

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/backends"
	"github.com/modelparity/modelparity/internal/onnxruntime"
)

// These specs of sessions with several providers are inside the package, because no machine without
// a GPU has two providers that share a model.

const (
	gpu = onnxruntime.CUDA
	cpu = onnxruntime.CPU
)

func nodes(operators ...string) (list []onnxruntime.Node) {
	for _, o := range operators {
		list = append(list, onnxruntime.Node{Name: "n" + o, Operator: o})
	}
	return list
}

func part(provider string, operators ...string) onnxruntime.Part {
	return onnxruntime.Part{Provider: provider, Nodes: nodes(operators...)}
}

func TestPlacement(t *testing.T) {
	for _, row := range []struct {
		reason  string
		named   []string
		parts   []onnxruntime.Part
		text    string
		refusal string
	}{
		{"all on the one provider", []string{"cuda"},
			[]onnxruntime.Part{part(gpu, "Conv"), part(gpu, "Relu")}, gpu, ""},
		{"the rest on the CPU that was named", []string{"cuda", "cpu"},
			[]onnxruntime.Part{part(cpu, "Shape"), part(gpu, "Conv"), part(cpu, "Gather", "Shape")},
			gpu + " 1, " + cpu + " 3 (Gather, Shape)", ""},
		{"the rest on the CPU that was not", []string{"cuda"},
			[]onnxruntime.Part{part(gpu, "Conv"), part(cpu, "Shape")}, gpu + " 1, " + cpu + " 1 (Shape)",
			`Shape nShape would run on the CPU; to allow that, add "cpu" as the last provider`},
		{"more nodes than a message names", []string{"cuda"},
			[]onnxruntime.Part{part(cpu, "A", "B", "C", "D", "E", "F", "G")}, cpu,
			"A nA, B nB, C nC, D nD, E nE, 2 more would run on the CPU; " +
				`to allow that, add "cpu" as the last provider`},
		{"TensorRT's rest on CUDA", []string{"trt", "cuda"}, []onnxruntime.Part{part(gpu, "NonZero"),
			part(onnxruntime.TensorRT, "Conv", "Relu")},
			onnxruntime.TensorRT + " 2, " + gpu + " 1 (NonZero)", ""},
		{"nothing on the preferred provider", []string{"trt", "cuda"},
			[]onnxruntime.Part{part(gpu, "Conv"), part(gpu, "Relu")}, gpu,
			"TensorrtExecutionProvider runs none of the model's nodes, which run on " +
				"CUDAExecutionProvider; list a different provider first"},
		{"nothing on the second one", []string{"trt", "cuda"},
			[]onnxruntime.Part{part(onnxruntime.TensorRT, "Conv")}, onnxruntime.TensorRT, ""},
		{"a provider that is not named", []string{"cuda", "cpu"},
			[]onnxruntime.Part{part("AcmeExecutionProvider", "Conv"), part(gpu, "Relu")},
			gpu + " 1, AcmeExecutionProvider 1 (Conv)", ""},
		{"a model without nodes", []string{"cuda"}, nil, "", ""},
	} {
		t.Run(row.reason, func(t *testing.T) {
			g := NewWithT(t)
			s, err := kind.List(Providers(row.named...)).Settings()
			g.Expect(err).NotTo(HaveOccurred())
			p := placed(s.Providers, row.parts)
			g.Expect(p.String()).To(Equal(row.text))
			err = s.judge(p)
			if row.refusal == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(row.refusal))
			var explained *backends.Refusal
			g.Expect(errors.As(err, &explained)).To(BeTrue())
			g.Expect(explained.Reason).To(Equal(backends.NoProvider))
		})
	}
}

func TestOperatorsOfOtherDomainsBearTheirDomain(t *testing.T) {
	g := NewWithT(t)
	g.Expect(operator(onnxruntime.Node{Domain: "com.microsoft", Operator: "Gelu"})).To(
		Equal("com.microsoft:Gelu"))
	g.Expect(operator(onnxruntime.Node{Domain: "ai.onnx", Operator: "Gelu"})).To(Equal("Gelu"))
}

func TestProvidersAsTheLibraryTakesThem(t *testing.T) {
	exactly := map[string]string{"use_tf32": "0"}
	for _, row := range []struct {
		reason    string
		options   []Option
		providers []onnxruntime.Provider
		recorded  bool
		text      map[string]string
	}{
		{"the CPU", nil, []onnxruntime.Provider{{Name: cpu}}, false, nil},
		{"CUDA is exact", []Option{Providers("cuda")},
			[]onnxruntime.Provider{{Name: gpu, Options: exactly}}, true,
			map[string]string{gpu + ".use_tf32": "0"}},
		{"CUDA is exact with other options too",
			[]Option{Providers("cuda"), ProviderOption("cuda", "device_id", "1")},
			[]onnxruntime.Provider{{Name: gpu,
				Options: map[string]string{"use_tf32": "0", "device_id": "1"}}}, true,
			map[string]string{gpu + ".use_tf32": "0", gpu + ".device_id": "1"}},
		{"unless it is told otherwise",
			[]Option{ProviderOption("cuda", "use_tf32", "1"), Providers("cuda")},
			[]onnxruntime.Provider{{Name: gpu, Options: map[string]string{"use_tf32": "1"}}}, true,
			map[string]string{gpu + ".use_tf32": "1"}},
		{"the CPU may stand in", []Option{Providers("cuda", "cpu")},
			[]onnxruntime.Provider{{Name: gpu, Options: exactly}, {Name: cpu}}, true,
			map[string]string{gpu + ".use_tf32": "0", "providers": gpu + "," + cpu}},
		{"TensorRT takes its options, and CUDA its rest",
			[]Option{Providers("trt", "cuda"), ProviderOption("tensorrt", "trt_fp16_enable", "1")},
			[]onnxruntime.Provider{{Name: onnxruntime.TensorRT,
				Options: map[string]string{"trt_fp16_enable": "1"}}, {Name: gpu, Options: exactly}},
			true, map[string]string{gpu + ".use_tf32": "0",
				onnxruntime.TensorRT + ".trt_fp16_enable": "1",
				"providers": onnxruntime.TensorRT + "," + gpu}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			g := NewWithT(t)
			s, err := kind.List(row.options...).Settings()
			g.Expect(err).NotTo(HaveOccurred())
			o := s.session()
			g.Expect(o.Providers).To(Equal(row.providers))
			g.Expect(o.Record).To(Equal(row.recorded))
			g.Expect(o.Config).To(Equal(map[string]string{accuracyKey: "1"}))
			for key, value := range row.text {
				g.Expect(s.text()).To(HaveKeyWithValue(key, value))
			}
			g.Expect(s.text()).To(HaveLen(2 + len(row.text)))
		})
	}
}
