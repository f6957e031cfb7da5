package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestWithoutADisplayPicturesAreNamed(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("PATH", "")
	g.Expect(showFirst([]string{"a.png", "b.png", "c.png"})).To(HaveExactElements(
		MatchRegexp(`a\.png.*open the file`)))
}

func TestEightPicturesAtMostAreOpened(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	for _, name := range []string{"xdg-open", "open"} {
		script := "#!/bin/sh\necho \"$1\" > " + folder + "/opened-$1\n"
		g.Expect(os.WriteFile(folder+"/"+name, []byte(script), 0o700)).To(Succeed())
	}
	t.Setenv("DISPLAY", ":99")
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	var files []string
	for i := range 10 {
		files = append(files, fmt.Sprintf("%d.png", i))
	}
	g.Expect(showFirst(files)).To(BeEmpty())
	opened := func() []string {
		found, _ := filepath.Glob(folder + "/opened-*")
		return found
	}
	g.Eventually(opened).Should(HaveLen(8))
	g.Consistently(opened, "100ms").Should(HaveLen(8))
}
