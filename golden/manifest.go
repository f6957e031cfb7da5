package golden

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/regular"
	"github.com/modelparity/modelparity/internal/wholefile"
)

// EnvConfigurations names the build configurations whose specs use the golden files of a package,
// separated by commas; the first is the one that runs. Unset, there is one: "default".
const EnvConfigurations = "GOLDEN_CONFIGURATIONS"

// manifest is what a complete run of a package in one build configuration used. It lies at
// testdata/golden/.usage/<configuration>.json and belongs under version control.
type manifest struct {
	Format  int    `json:"format"`
	Build   built  `json:"build"`
	Sources string `json:"sources"` // sha256 of the package's Go files, whatever their constraints
	// Specs are the files that each spec used, by its text: relative to the package's folder, sorted.
	// Those of a spec that was skipped are of the last run that ran it, in any configuration.
	Specs map[string][]string `json:"specs"`
	// Before are the files that a spec used in an earlier run and not in this one, which it ran in.
	Before map[string][]string `json:"before,omitempty"`
}

const manifestFormat = 1

// built is what decides which files a build takes.
type built struct {
	GOOS   string   `json:"goos"`
	GOARCH string   `json:"goarch"`
	Tags   []string `json:"tags,omitempty"`
	Cgo    bool     `json:"cgo,omitempty"`

	given []string // by -tags
}

// thisBuild is how this test binary was built.
func thisBuild() (built, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return built{}, errors.New("this test binary does not say how it was built")
	}
	b := built{GOOS: runtime.GOOS, GOARCH: runtime.GOARCH}
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "-tags":
			b.given = strings.Split(setting.Value, ",")
			b.Tags = append(b.Tags, b.given...)
		case setting.Key == "CGO_ENABLED":
			b.Cgo = setting.Value == "1"
		case setting.Value == "true" && slices.Contains([]string{"-race", "-msan", "-asan"}, setting.Key):
			b.Tags = append(b.Tags, setting.Key[1:])
		}
	}
	return b, nil
}

// takes reports whether the build takes a Go file.
func (b built) takes(folder, name string) (bool, error) {
	c := build.Default
	c.GOOS, c.GOARCH, c.BuildTags, c.CgoEnabled = b.GOOS, b.GOARCH, b.Tags, b.Cgo
	return c.MatchFile(folder, name)
}

// configurations are the names that the user gives, the one that runs first.
func configurations() ([]string, error) {
	text := os.Getenv(EnvConfigurations)
	if text == "" {
		text = "default"
	}
	names := strings.Split(text, ",")
	for _, name := range names {
		if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`).MatchString(name) {
			return nil, fmt.Errorf("%s: %q is not a name of letters, digits, dots and dashes",
				EnvConfigurations, name)
		}
	}
	return names, nil
}

// manifestPath is where the manifest of a configuration of the package in a folder lies.
func manifestPath(folder, configuration string) string {
	return filepath.Join(folder, filepath.FromSlash(Folder), ".usage", configuration+".json")
}

// readManifest gives nil where the file does not exist.
func readManifest(folder, configuration string) (*manifest, error) {
	path := manifestPath(folder, configuration)
	text, err := regular.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := new(manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.Format != manifestFormat {
		return nil, fmt.Errorf("%s: format %d, this modelparity reads %d", path, m.Format, manifestFormat)
	}
	return m, nil
}

func (m *manifest) write(folder, configuration string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	path := manifestPath(folder, configuration)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	_, err = wholefile.Update(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	return err
}

// goFiles lists the names of the Go files of the package in a folder.
func goFiles(folder string) (names []string, err error) {
	paths, err := filepath.Glob(filepath.Join(escaped(folder), "*.go"))
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names, err
}

// escaped is a path for a pattern that it is part of.
func escaped(path string) string {
	if filepath.Separator == '\\' {
		return path // where patterns have no escapes
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// sourcesSum is the checksum of the package's Go files.
func sourcesSum(folder string) (string, error) {
	names, err := goFiles(folder)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, name := range names {
		text, err := regular.Read(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%q %d\n%s", name, len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
