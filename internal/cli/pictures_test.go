package cli

import (
	"fmt"
	"os"
	"testing"

	. "github.com/onsi/gomega"
)

func TestWithoutADisplayPicturesAreNamed(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("PATH", "")
	g.Expect(showAll([]string{"a.png", "b.png", "c.png"})).To(HaveExactElements(
		MatchRegexp(`a\.png.*open the file.*\(and 2 more in its folder\)$`)))
	g.Expect(show("a.png")).To(MatchError(ContainSubstring("a.png")))
}

func TestEightPicturesAtMostAreOpened(t *testing.T) {
	g := NewWithT(t)
	folder := t.TempDir()
	for _, name := range []string{"xdg-open", "open"} {
		g.Expect(os.WriteFile(folder+"/"+name, []byte("#!/bin/sh\nexec sleep 5\n"), 0o700)).
			To(Succeed())
	}
	t.Setenv("DISPLAY", ":99")
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	var files []string
	for i := range 10 {
		files = append(files, fmt.Sprintf("%d.png", i))
	}
	g.Expect(showAll(files)).To(HaveExactElements("2 more pictures are in the folder of 8.png"))
}
