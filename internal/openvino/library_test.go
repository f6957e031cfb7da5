package openvino

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/dlopen"
)

func TestWhatIsNotTheLibraryIsSaid(t *testing.T) {
	if dlopen.Supported() != nil {
		t.Skip("this binary cannot open shared libraries")
	}
	g := NewWithT(t)
	_, err := Start(filepath.Join(t.TempDir(), "absent.so"))
	g.Expect(err).To(MatchError(ContainSubstring("absent.so cannot be opened: ")))
	text := filepath.Join(t.TempDir(), "text.so")
	g.Expect(os.WriteFile(text, []byte("text"), 0o600)).To(Succeed())
	_, err = Start(text)
	g.Expect(err).To(MatchError(ContainSubstring("text.so cannot be opened: ")))
	g.Expect(Running()).To(BeNil())
	_, err = Start("libm.so.6") // a library of another kind
	g.Expect(err).To(MatchError(MatchRegexp(`libm\.so\.6 (is not the C library of OpenVINO, or is ` +
		`too old: it has no ov_\w+|cannot be opened)`)))
}
