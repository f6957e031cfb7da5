package golden

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelparity/modelparity/internal/regular"
)

// surroundings are what the module holds that may want a golden file without asking in this run.
type surroundings struct {
	folder  string            // of the package, from the module's root
	sources map[string]string // the text of every Go file, by its path from the module's root
	links   map[string]string // where each link leads, without links, by its path
}

// lookAround walks through the module of the package in a folder. It is an error where the folder
// of golden files is not the package's own: then the specs of other packages may use it.
func lookAround(folder string) (s surroundings, err error) {
	here, err := filepath.Abs(folder)
	if err != nil {
		return s, err
	}
	root := moduleRoot(here)
	if root == "" {
		return s, errors.New("the package is in no module, so who else uses its files is not known")
	}
	s = surroundings{sources: map[string]string{}, links: map[string]string{}}
	if s.folder, err = filepath.Rel(root, here); err != nil {
		return s, err
	}
	own := unlinked(filepath.Join(folder, filepath.FromSlash(Folder)))
	if own != filepath.Join(unlinked(folder), filepath.FromSlash(Folder)) {
		return s, fmt.Errorf("%s is reached by a link, so other packages may use it", Folder)
	}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.Type()&fs.ModeSymlink != 0:
			target := unlinked(path)
			s.links[name] = target
			if target == own || strings.HasPrefix(own, target+string(filepath.Separator)) {
				return fmt.Errorf("the link %s leads to %s, so other packages may use it", name, Folder)
			}
		case entry.Type().IsRegular() && filepath.Ext(path) == ".go":
			text, err := regular.Read(path)
			s.sources[name] = string(text)
			return err
		}
		return nil
	})
	return s, err
}

// names is the Go file that names a golden file of the package: by the name that MatchGolden takes,
// in the package itself, or by the end of its path.
func (s surroundings) names(path string) string {
	name, _ := strings.CutPrefix(filepath.ToSlash(path), Folder+"/")
	name = base(strings.TrimSuffix(name, ".json")) // a spec names what all its engines share
	for file, text := range s.sources {
		if strings.Contains(text, "golden/"+name+".json") || strings.Contains(text, "golden/"+name+"@") ||
			filepath.Dir(file) == s.folder && (strings.Contains(text, `"`+name+`"`) ||
				strings.Contains(text, "`"+name+"`") || strings.Contains(text, name+".json")) {
			return file
		}
	}
	return ""
}

// linksTo is a link of the module that leads to the file.
func (s surroundings) linksTo(path string) string {
	target := unlinked(path)
	for link, to := range s.links {
		if to == target {
			return link
		}
	}
	return ""
}

// moduleRoot is the nearest folder with a go.mod, or "".
func moduleRoot(folder string) string {
	for root := folder; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return root
		}
		if root == filepath.Dir(root) {
			return ""
		}
	}
}

// onlyThisSuite is an error where the package has other tests than the one that runs the suite:
// plain tests may come after it, and nobody knows which of them were skipped.
func onlyThisSuite(folder string, b built) error {
	files, err := goFiles(folder)
	if err != nil {
		return err
	}
	var tests []string
	for _, name := range files {
		if taken, err := b.takes(folder, name); !strings.HasSuffix(name, "_test.go") || err != nil ||
			!taken {
			continue // of another configuration, which has its own run
		}
		text, err := regular.Read(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declared := range file.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil && isTest(f.Name.Name) {
				tests = append(tests, f.Name.Name)
			}
		}
	}
	if len(tests) > 1 {
		return fmt.Errorf("the package has %s: which golden files plain tests use is not known, since "+
			"nobody tells which were skipped; it needs a package whose only test runs its Ginkgo suite",
			strings.Join(tests, ", "))
	}
	return nil
}

func isTest(name string) bool {
	for _, prefix := range []string{"Test", "Fuzz", "Example"} {
		if strings.HasPrefix(name, prefix) && name != "TestMain" {
			return true
		}
	}
	return false
}

// choosing are the flags that make a suite run fewer specs than it has.
var choosing = []string{
	"test.run", "test.skip", "test.short", "test.list", "ginkgo.focus", "ginkgo.skip",
	"ginkgo.focus-file", "ginkgo.skip-file", "ginkgo.label-filter", "ginkgo.sem-ver-filter",
	"ginkgo.dry-run",
}

// chosen is the name of such a flag that was given, or "". Ginkgo's do not tell their value.
func chosen() (name string) {
	flag.Visit(func(f *flag.Flag) {
		off := f.Value.String() == "false" ||
			f.Value.String() == "" && strings.HasPrefix(f.Name, "test.")
		if slices.Contains(choosing, f.Name) && !off {
			name = f.Name
		}
	})
	return name
}

// notInGit says why git could not give the file back, "" if it could.
func notInGit(path string) string {
	folder, name := filepath.Dir(path), filepath.Base(path)
	listed, err := git(folder, "ls-files", "-s", "-z", "--", name)
	fields := strings.Fields(listed)
	if err != nil || len(fields) < 3 {
		return "git does not track it"
	}
	sum, err := git(folder, "hash-object", "--", name)
	if err != nil || strings.TrimSpace(sum) != fields[1] {
		return "it is not as git has it"
	}
	if _, err := git(folder, "cat-file", "-e", fields[1]); err != nil {
		return "git does not have its content"
	}
	return ""
}

// git runs git in a folder, without what a hook around it says of another repository.
func git(folder string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = folder
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "GIT_") {
			cmd.Env = append(cmd.Env, setting)
		}
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	return out.String(), err
}
