package modelfiles_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os/exec"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/modelfiles"
)

func TestPlainLocations(t *testing.T) {
	g := NewWithT(t)
	for _, location := range []string{"w.bin", "./w.bin", "data/w.bin", "model.onnx_data", "a b",
		"größe", "onnx__MatMul_12", "-", "a/.b", "w..bin"} {
		g.Expect(modelfiles.Plain(location)).To(Succeed(), location)
	}
	for _, location := range []string{"", ".", "..", "../w", "a/../w", "a/./w", "a//w", "w/", "/w",
		"./", "././w", "//w", "./../w", "*/_ORT_MEM_ADDR_/*", "*/_ort_mem_addr_/*",
		"*/_ORT_NATIVE_ENDIAN_MEM_ADDR_/*", "./*/_ORT_MEM_ADDR_/*", "a*", "C:w", "C:/w", "file:w", `a\w`,
		`\\host\w`, ".w", "./.w", "...w", "a\x00b", "a\nb", "a\x7f", "a\u200bb", "a\xffb", "a|b",
		"a?"} {
		g.Expect(modelfiles.Plain(location)).NotTo(Succeed(), location)
	}
}

// sum is a digest of files, each "name content".
func sum(files ...string) string {
	d := new(modelfiles.Digest)
	for _, file := range files {
		name, content, _ := strings.Cut(file, " ")
		_ = d.AddFile(name, strings.NewReader(content)) // a reader of a string has no error
	}
	return d.Sum()
}

func TestADigestCoversNamesAndLimits(t *testing.T) {
	g := NewWithT(t)
	one := sha256.Sum256([]byte("model"))
	g.Expect(sum("- model")).To(Equal(hex.EncodeToString(one[:])))
	line := hex.EncodeToString(one[:])
	seen := map[string]string{}
	for _, files := range [][]string{{"- model"}, {"a model"}, {"- model", "a 12", "b 34"},
		{"- model", "a 1", "b 234"}, {"- model", "a 1234", "b "}, {"- model", "b 12", "a 34"},
		{"- model", "a 12", "c 34"}, {"- model", "a 1234"}, {"- model1", "a 234"}, {"- model1234"},
		{"a model", "b model"}, {"a\n" + line + "\u00a0\u00a0b model"}, {`a\n model`}, {"a\n model"}} {
		text := strings.Join(files, ", ")
		g.Expect(seen).NotTo(HaveKey(sum(files...)), text)
		seen[sum(files...)] = text
	}
}

func TestADigestIsOfWhatSha256sumPrints(t *testing.T) {
	const script = `cd "$1" && printf model >m && printf 12 >w.bin && printf 34 >'a\b' &&
{ sha256sum <m; sha256sum w.bin 'a\b'; } | sha256sum`
	out, err := exec.CommandContext(t.Context(), "sh", "-c", script, "sh", t.TempDir()).Output()
	if err != nil {
		t.Skip("no sha256sum here: ", err)
	}
	NewWithT(t).Expect(string(out)).To(HavePrefix(sum("- model", "w.bin 12", `a\b 34`)))
}
