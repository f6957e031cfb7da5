package mutate

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelparity/modelparity/internal/regular"
)

// mostCopied is the size of the largest file that is copied. Larger files, such as models, are
// linked instead, because specs do not write to them.
const mostCopied = 1 << 20

// copyTree copies a module to a folder in which failing specs may write, for example reports and
// failing inputs. Hidden folders, such as .git, are linked instead of copied. Symbolic links that
// point outside the module still point to the same files.
func copyTree(root, to string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		copied := filepath.Join(to, inside)
		switch {
		case path == filepath.Dir(to): // the module contains the folder of temporary files
			return fs.SkipDir
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root:
			return cmp.Or(os.Symlink(path, copied), fs.SkipDir)
		case d.IsDir():
			return os.MkdirAll(copied, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			local := filepath.Join(filepath.Dir(inside), target)
			if !filepath.IsAbs(target) && !filepath.IsLocal(local) {
				target = filepath.Join(root, local)
			}
			return os.Symlink(target, copied)
		case !d.Type().IsRegular():
			return nil
		}
		return copyFile(path, copied, d)
	})
}

func copyFile(path, to string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	if info.Size() <= mostCopied {
		if data, err := regular.Read(path); err == nil {
			return os.WriteFile(to, data, info.Mode().Perm()|0o200)
		}
	} else if os.Link(path, to) == nil {
		return nil
	}
	return os.Symlink(path, to) // it cannot be read, or the folder is on another file system
}
