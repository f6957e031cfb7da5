package vulkan_test

import (
	"os"
	"os/exec"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/vulkan"
)

// TestDevices runs in a process of its own, because drivers stay loaded, and without any driver.
func TestDevices(t *testing.T) {
	g := NewWithT(t)
	if os.Getenv("MODELPARITY_TEST_VULKAN") != "" {
		names, err := vulkan.Devices()
		g.Expect(names).To(BeEmpty())
		g.Expect(err).To(MatchError(ContainSubstring("Vulkan")))
		return
	}
	again := exec.Command(os.Args[0], "-test.run=^TestDevices$")
	again.Env = append(os.Environ(), "MODELPARITY_TEST_VULKAN=1", "VK_ICD_FILENAMES=/nowhere.json",
		"VK_DRIVER_FILES=/nowhere.json")
	output, err := again.CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), string(output))
	names, err := vulkan.Devices()
	if err == nil {
		g.Expect(names).NotTo(ContainElement(BeEmpty()))
		t.Log(names)
	}
}
