package onnxruntime_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/onnxruntime"
	"github.com/modelparity/modelparity/tensor"
)

// header is the C header that the binding is built with.
func header(t *testing.T) string {
	t.Helper()
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/yalue/onnxruntime_go").Output()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)),
		"onnxruntime_c_api.h"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`).ReplaceAllString(string(text), "")
}

// between is the text from after the first start to before the next end.
func between(t *testing.T, text, start, end string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, start)
	NewWithT(t).Expect(found).To(BeTrue(), start)
	inner, _, found := strings.Cut(rest, end)
	NewWithT(t).Expect(found).To(BeTrue(), end)
	return inner
}

// entry is one expression for the five ways in which the header declares an entry of OrtApi.
var entry = regexp.MustCompile(`ORT_API2_STATUS\(\s*(\w+)|ORT_CLASS_(RELEASE\(\w+)\)|` +
	`ORT_API_T\([^,]+,\s*(\w+)|ORT_API_CALL\s*\*\s*(\w+)\)|\(\s*\*\s*(\w+)\s*\)\s*\(`)

func TestSlotsAreTheHeaders(t *testing.T) {
	g := NewWithT(t)
	place := map[string]int{}
	body := between(t, header(t), "struct OrtApi {", "\n};")
	declarations := strings.Split(body, ";")
	for i, declaration := range declarations[:len(declarations)-1] {
		found := entry.FindStringSubmatch(declaration) // the first: parameters may look like entries
		g.Expect(found).NotTo(BeNil(), declaration)
		name := strings.Join(found[1:], "")
		place[strings.Replace(name, "RELEASE(", "Release", 1)] = i
	}
	g.Expect(place).To(HaveLen(len(declarations) - 1))
	g.Expect(len(place)).To(BeNumerically(">", 400))

	ours, err := os.ReadFile("abi.h")
	g.Expect(err).NotTo(HaveOccurred())
	slots := regexp.MustCompile(`mp_slot_(\w+) = (\d+),`).FindAllStringSubmatch(string(ours), -1)
	g.Expect(slots).To(HaveLen(46))
	for _, slot := range slots {
		number, err := strconv.Atoi(slot[2])
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(place).To(HaveKeyWithValue(slot[1], number))
	}
}

func TestElementTypesAreTheHeaders(t *testing.T) {
	g := NewWithT(t)
	names := regexp.MustCompile(`ONNX_TENSOR_ELEMENT_DATA_TYPE_(\w+)`).FindAllStringSubmatch(
		between(t, header(t), "typedef enum ONNXTensorElementDataType {", "}"), -1)
	for elem, want := range map[tensor.ElementType]string{
		tensor.Float32: "FLOAT", tensor.Uint8: "UINT8", tensor.Int8: "INT8",
		tensor.Uint16: "UINT16", tensor.Int16: "INT16", tensor.Int32: "INT32",
		tensor.Int64: "INT64", tensor.String: "STRING", tensor.Bool: "BOOL",
		tensor.Float16: "FLOAT16", tensor.Float64: "DOUBLE", tensor.Uint32: "UINT32",
		tensor.Uint64: "UINT64", tensor.BFloat16: "BFLOAT16", tensor.Float8E4M3FN: "FLOAT8E4M3FN",
		tensor.Float8E4M3FNUZ: "FLOAT8E4M3FNUZ", tensor.Float8E5M2: "FLOAT8E5M2",
		tensor.Float8E5M2FNUZ: "FLOAT8E5M2FNUZ", tensor.Uint4: "UINT4", tensor.Int4: "INT4",
		tensor.Float4E2M1: "FLOAT4E2M1", tensor.Uint2: "UINT2", tensor.Int2: "INT2",
	} {
		g.Expect(names[onnxruntime.Codes.Of(elem)][1]).To(Equal(want))
	}
	for _, elem := range tensor.ElementTypes() {
		g.Expect(onnxruntime.Codes.Of(elem)).To(BeNumerically(">", 0), elem.String())
	}
}

func TestNeededVersionIsTheHeaders(t *testing.T) {
	version := regexp.MustCompile(`#define ORT_API_VERSION (\d+)`).FindStringSubmatch(header(t))
	NewWithT(t).Expect(version).To(HaveExactElements(
		Not(BeEmpty()), strconv.Itoa(onnxruntime.NeededMinor)))
}

func TestVersionsThatAreRecent(t *testing.T) {
	for version, want := range map[string]bool{"1.24.0": true, "1.31.1": true, "2.0.0": true,
		"1.23.9": false, "0.99.0": false, "1": false, "": false, "1.x.2": false} {
		NewWithT(t).Expect(onnxruntime.Recent(version)).To(Equal(want), version)
	}
}
