package pages_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/skips"
)

// browser is a Chromium, by MODELPARITY_BROWSER or the names that systems give it.
func browser() string {
	GinkgoHelper()
	for _, name := range []string{os.Getenv("MODELPARITY_BROWSER"), "chromium", "chromium-browser",
		"google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	Skip("no browser: install Chromium (apt-get install chromium), or set MODELPARITY_BROWSER")
	return ""
}

// browse has the browser do something with a page.
func browse(ctx context.Context, flags ...string) string {
	GinkgoHelper()
	skips.Long(GinkgoT())
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	// The sandbox needs rights that containers lack; the page is our own, and loads nothing.
	command := exec.CommandContext(ctx, browser(), append([]string{"--headless", "--no-sandbox",
		"--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
		"--user-data-dir=" + GinkgoT().TempDir(), "--virtual-time-budget=3000"}, flags...)...)
	command.WaitDelay = 5 * time.Second
	var said, wrong bytes.Buffer
	command.Stdout, command.Stderr = &said, &wrong
	Expect(command.Run()).To(Succeed(), wrong.String())
	return said.String()
}

// saved is the address of a page in a file.
func saved(text string) string {
	GinkgoHelper()
	path := filepath.Join(GinkgoT().TempDir(), "page.html")
	Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
	return "file://" + filepath.ToSlash(path)
}

var _ = Describe("a page in a browser", func() {
	It("runs its own script, and nothing of what reports hold", func(ctx SpecContext) {
		address := saved(page(hostileReport(GinkgoT().TempDir())))
		dom := browse(ctx, "--dump-dom", address+"#case-3")
		Expect(dom).NotTo(ContainSubstring("data-owned"))
		n := 2 * len(hostile)
		Expect(dom).To(ContainSubstring(fmt.Sprintf(`aria-live="polite">%d of %d shown</output>`, n, n)),
			"the script of the page ran under its policy")
		Expect(dom).To(MatchRegexp(`<form id="filters">`))
		Expect(dom).To(MatchRegexp(`<details id="case-3" data-state="failed" open`))
		Expect(dom).To(MatchRegexp(`<details id="case-2" data-state="failed">`))
	})

	It("can be seen", func(ctx SpecContext) {
		folder := GinkgoT().TempDir()
		address := saved(page(report(folder, "r.json", day,
			spec("agrees", types.SpecStatePassed, compared(ort, vino, "y", []float64{1}, []float64{1})),
			spec("differs", types.SpecStateFailed, compared(vino, ort, "y", []float64{1, 3},
				[]float64{1, 1})))))
		picture := filepath.Join(folder, "page.png")
		browse(ctx, "--screenshot="+picture, "--window-size=1000,900", address)
		data, err := os.ReadFile(picture)
		Expect(err).NotTo(HaveOccurred())
		seen, err := png.Decode(bytes.NewReader(data))
		Expect(err).NotTo(HaveOccurred())
		Expect(seen.Bounds().Dx()).To(Equal(1000))
		colours := map[[3]uint32]int{}
		for y := range seen.Bounds().Dy() {
			for x := range seen.Bounds().Dx() {
				r, g, b, _ := seen.At(x, y).RGBA()
				colours[[3]uint32{r >> 8, g >> 8, b >> 8}]++
			}
		}
		Expect(colours[[3]uint32{0xb0, 0x00, 0x20}]).To(BeNumerically(">", 50), "what failed is red")
		Expect(colours[[3]uint32{0x0b, 0x6b, 0x2f}]).To(BeNumerically(">", 20), "what passed is green")
	})
})
