//go:build linux || darwin

package remote_test

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestMain(m *testing.M) {

	os.Exit(m.Run())
}

func TestRemote(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "backends/remote")
}
