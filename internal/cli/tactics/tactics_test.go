package tactics_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/cli/tactics"
)

func TestTactics(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Tactics")
}

var _ = Describe("A tactic replay file", func() {
	recorded := "../../../backends/trt/testdata/tactics.json" // by Polygraphy
	It("is shown layer by layer", func() {
		all, err := tactics.Read(recorded)
		Expect(err).NotTo(HaveOccurred())
		Expect(all).To(HaveLen(3))
		Expect(all.Text()).To(ContainSubstring("  conv1 + <relu1>: implementation 2147483657, " +
			"tactic -3771404872543524124, [FLOAT(784,784,28,1)] -> [HALF(25088,784,28,1)/1:8]\n"))
		Expect(tactics.Is(recorded)).To(BeTrue())
		Expect(tactics.Is("tactics.go")).To(BeFalse())
	})

	It("of engines that fail differs in what may be the fault", func() {
		data, err := os.ReadFile(recorded)
		Expect(err).NotTo(HaveOccurred())
		folder := GinkgoT().TempDir()
		write := func(name, text string) {
			GinkgoHelper()
			path := filepath.Join(folder, name)
			Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
			Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
		}
		write("good/1.json", string(data))
		write("bad/deep/1.json", string(data))
		write("bad/2.json", strings.ReplaceAll(string(data), "2147483657", "5"))
		write("bad/notes.txt", "not one")
		d, err := tactics.Diff(filepath.Join(folder, "good"), filepath.Join(folder, "bad"))
		Expect(err).NotTo(HaveOccurred())
		Expect(d.Good).To(Equal(1))
		Expect(d.Bad).To(Equal(2))
		Expect(d.Suspects).To(HaveLen(1))
		Expect(d.Suspects[0].Implementation).To(Equal(int64(5)))

		write("bad/2.json", `{"replay": {`)
		_, err = tactics.Diff(filepath.Join(folder, "good"), filepath.Join(folder, "bad"))
		Expect(err).To(MatchError(ContainSubstring("not a tactic replay file")), "damage is no absence")
	})
})
