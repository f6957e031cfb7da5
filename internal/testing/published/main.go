//go:build linux || darwin

// Command published packs this module like a release. Then it follows README.md,
// docs/getting-started.md and docs/ci.md in an empty module, as a user with a new home folder
// would: until the first spec passes, fails without an engine, and passes again after the command
// that the failure message names. `make published` runs it.
//
// It packs HEAD and uncommitted changes to tracked files. Third-party modules come from the
// machine's module cache if possible, and compiled packages stay in Go's build cache.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/modelparity/modelparity/internal/engines"
	"github.com/modelparity/modelparity/internal/testing/rig"
)

func main() { rig.Main("published", run, nil) }

func run(ctx context.Context, r *rig.Rig) error {
	// The underscore keeps the folder out of ./..., and using the same path each time lets Go reuse
	// what it compiled.
	work := filepath.Join(r.Root, "artifacts", "_published")
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	defer os.RemoveAll(work) //nolint:errcheck // the next run removes it
	source, proxy := filepath.Join(work, "source"), filepath.Join(work, "proxy")
	if err := pack(ctx, r.Root, source, proxy); err != nil {
		return err
	}
	for _, page := range []string{"README.md", "docs/getting-started.md"} {
		fmt.Printf("\n%s, in an empty module:\n", page)
		begun := time.Now()
		u, err := newUser(ctx, filepath.Join(work, "user"), proxy, source)
		if err == nil {
			err = u.follow(ctx, page)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		fmt.Printf("%.0f seconds\n", time.Since(begun).Seconds())
	}
	return nil
}

// pack writes the module's files to source, and a release of the module to proxy, in the layout of
// a module proxy. The release is named after its content, so it is never confused with a cached
// one.
func pack(ctx context.Context, root, source, proxy string) error {
	commit, err := rig.Run(ctx, root, nil, "git", "stash", "create") // "" if nothing changed
	if err != nil {
		return err
	}
	if commit == "" {
		commit = "HEAD"
	}
	tree, err := rig.Run(ctx, root, nil, "git", "rev-parse", commit+"^{tree}")
	if err != nil {
		return err
	}
	release := module.Version{Path: engines.Module, Version: "v0.0.1-tree." + "t" + tree[:12]}
	folder := filepath.Join(proxy, filepath.FromSlash(release.Path), "@v")
	for _, dir := range []string{source, folder} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if _, err := rig.Run(ctx, root, nil, "sh", "-c", `git archive "$1" | tar -x -C "$2"`, "sh", tree,
		source); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := zip.CreateFromDir(&packed, release, source); err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		release.Version + ".zip":  packed.Bytes(),
		release.Version + ".mod":  mod,
		release.Version + ".info": fmt.Appendf(nil, `{"Version":%q}`, release.Version),
		"list":                    []byte(release.Version + "\n"),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%s %s: %.1f MB packed\n", release.Path, release.Version, float64(packed.Len())/1e6)
	return nil
}
