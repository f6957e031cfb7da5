package speccode_test

import (
	"errors"
	"os"
	"testing"

	"github.com/modelparity/modelparity/internal/speccode"
)

func TestFilesOfAnEngineAreNamedFromTheSpecsFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.MkdirAll("libs/CPU", 0o755), os.MkdirAll("out/deep", 0o755),
		os.WriteFile("libs/ops.so", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	const code = `ort.Engine(ort.CustomOps("libs/ops.so", "libs/\"no.so", "/libs/ops.so"), ` +
		`ort.Device("libs/CPU"))`
	for folder, want := range map[string]string{".": code, "out/deep": `ort.Engine(ort.CustomOps(` +
		`"../../libs/ops.so", "libs/\"no.so", "/libs/ops.so"), ort.Device("libs/CPU"))`} {
		if got := speccode.Moved(code, folder); got != want {
			t.Errorf("%s: got %s, want %s", folder, got, want)
		}
	}
}
