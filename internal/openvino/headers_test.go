package openvino

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/tensor"
)

// factsFile holds what the headers of the openvino wheel declare, one fact a line. A new release's
// are written with MODELPARITY_OPENVINO_HEADERS=<wheel>/openvino/include/openvino/c go test
// ./internal/openvino, which then also shows what moved.
const factsFile = "testdata/headers.txt"

// normal brings a C declaration into one form: no names of parameters, no spare spaces.
func normal(declaration string) string {
	declaration = regexp.MustCompile(`\s+`).ReplaceAllString(declaration, " ")
	return regexp.MustCompile(` ?([*,()]) ?`).ReplaceAllString(strings.TrimSpace(declaration), "$1")
}

// unnamed takes the names of parameters away: "(const ov_core_t*core,size_t n)".
func unnamed(parameters string) string {
	list := strings.Split(strings.Trim(normal(parameters), "()"), ",")
	for i, p := range list {
		list[i] = normal(regexp.MustCompile(`([* ])\w+$`).ReplaceAllString(p, "$1"))
	}
	return "(" + strings.Join(list, ",") + ")"
}

var (
	comment  = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	function = regexp.MustCompile(`(?s)OPENVINO_C_API\(([^)]*)\)\s*(\w+)\s*(\([^;]*\));`)
	constant = regexp.MustCompile(`^(\w+)(?:\s*=\s*(-?\d+)U?)?$`)
	enum     = regexp.MustCompile(`(?s)typedef enum \{([^}]*)\} (ov_status_e|ov_element_type_e);`)
	structs  = regexp.MustCompile(`(?s)typedef struct \w*\s*\{([^}]*)\} (ov_shape_t|ov_dimension_t|` +
		`ov_partial_shape_t|ov_version_t|ov_property_t);`)
	alias = regexp.MustCompile(`typedef (\w+) (ov_rank_t);`)
)

// headerFacts are the facts that a folder of headers declares.
func headerFacts(folder string) (facts []string, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.h"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no headers in %s: %w", folder, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		text := comment.ReplaceAllString(string(data), "")
		for _, f := range function.FindAllStringSubmatch(text, -1) {
			facts = append(facts, fmt.Sprintf("%s %s%s", f[2], normal(f[1]), unnamed(f[3])))
		}
		for _, e := range enum.FindAllStringSubmatch(text, -1) {
			next := 0
			for _, name := range strings.Split(e[1], ",") {
				c := constant.FindStringSubmatch(strings.TrimSpace(name))
				if c == nil {
					continue // after the last comma
				}
				if c[2] != "" {
					fmt.Sscan(c[2], &next)
				}
				facts = append(facts, fmt.Sprintf("%s %s %d", e[2], c[1], next))
				next++
			}
		}
		for _, s := range structs.FindAllStringSubmatch(text, -1) {
			facts = append(facts, s[2]+" {"+normal(s[1])+"}")
		}
		for _, a := range alias.FindAllStringSubmatch(text, -1) {
			facts = append(facts, a[2]+" = "+a[1])
		}
	}
	slices.Sort(facts)
	return facts, nil
}

func facts(t *testing.T) []string {
	t.Helper()
	if folder := os.Getenv("MODELPARITY_OPENVINO_HEADERS"); folder != "" {
		list, err := headerFacts(folder)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		text := strings.Join(list, "\n") + "\n"
		NewWithT(t).Expect(os.WriteFile(factsFile, []byte(text), 0o644)).To(Succeed())
	}
	data, err := os.ReadFile(factsFile)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

func TestFunctionsAreTheHeaders(t *testing.T) {
	g := NewWithT(t)
	known := map[string]string{}
	for _, fact := range facts(t) {
		name, rest, _ := strings.Cut(fact, " ")
		known[name] = rest
	}
	text, err := os.ReadFile("abi.h")
	g.Expect(err).NotTo(HaveOccurred())
	one := regexp.MustCompile(`(?s)\tF\(([^,]*), (ov_\w+),[\s\\]*(\([^()]*\))\)`)
	ours := one.FindAllStringSubmatch(string(text), -1)
	g.Expect(ours).To(HaveLen(strings.Count(string(text), "\tF(")))
	g.Expect(len(ours)).To(BeNumerically(">", 35))
	for _, f := range ours {
		parameters := normal(strings.ReplaceAll(f[3], "\\", ""))
		g.Expect(known).To(HaveKeyWithValue(f[2], normal(f[1])+parameters))
	}
}

func TestStructsAreTheHeaders(t *testing.T) {
	// In abi.h a struct is written shorter; sizes and offsets are what counts.
	NewWithT(t).Expect(facts(t)).To(ContainElements(
		"ov_shape_t {int64_t rank; int64_t*dims;}",
		"ov_dimension_t {int64_t min; int64_t max;}",
		"ov_rank_t = ov_dimension_t",
		"ov_partial_shape_t {ov_rank_t rank; ov_dimension_t*dims;}",
		"ov_version_t {const char*buildNumber; const char*description;}",
		"ov_property_t {const char*key; const void*value;}",
	))
}

func TestNumbersAreTheHeaders(t *testing.T) {
	g := NewWithT(t)
	known := facts(t)
	types := map[tensor.ElementType]string{
		tensor.Bool: "BOOLEAN", tensor.BFloat16: "BF16", tensor.Float16: "F16", tensor.Float32: "F32",
		tensor.Float64: "F64", tensor.Int4: "I4", tensor.Int8: "I8", tensor.Int16: "I16",
		tensor.Int32: "I32", tensor.Int64: "I64", tensor.Uint2: "U2", tensor.Uint4: "U4",
		tensor.Uint8: "U8", tensor.Uint16: "U16", tensor.Uint32: "U32", tensor.Uint64: "U64",
		tensor.Float8E4M3FN: "F8E4M3", tensor.Float8E5M2: "F8E5M3", tensor.String: "STRING",
		tensor.Float4E2M1: "F4E2M1", tensor.Float8E8M0: "F8E8M0",
	}
	missing := map[int]string{0: "DYNAMIC", 11: "U1", 13: "U3", 15: "U6", 20: "NF4"}
	count := 0
	for _, fact := range known {
		if strings.HasPrefix(fact, "ov_element_type_e ") {
			count++
		}
	}
	g.Expect(Codes).To(HaveLen(count), "a new release has other element types")
	g.Expect(len(types) + len(missing)).To(Equal(count))
	for code, elem := range Codes {
		name := types[elem]
		if elem == tensor.Invalid {
			name = missing[code]
		}
		g.Expect(known).To(ContainElement(fmt.Sprintf("ov_element_type_e %s %d", name, code)))
	}
}
