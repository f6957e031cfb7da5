//go:build linux || darwin

package remote_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/modelparity/modelparity/internal/testing/faulty"
)

func TestMain(m *testing.M) {
	faulty.ReachedMain = true
	os.Exit(m.Run())
}

func TestRemote(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "backends/remote")
}
