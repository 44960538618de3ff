// Command check holds the project to its rules: import directions between
// rooms, the purity of core, formatting, and words that must not occur. It
// reports long files and functions without failing on them.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/leanmem/leanmem"

func main() {
	files, err := sources(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "check: list files:", err)
		os.Exit(1)
	}
	failed := false
	for _, c := range []struct {
		name string
		run  func([]string) []string
	}{
		{"format", unformatted},
		{"imports", imports},
		{"purity of core", purity},
		{"words", words},
	} {
		faults := c.run(files)
		for _, f := range faults {
			fmt.Printf("FAIL %s: %s\n", c.name, f)
		}
		if len(faults) == 0 {
			fmt.Printf("ok   %s\n", c.name)
		}
		failed = failed || len(faults) > 0
	}
	for _, n := range long(files) {
		fmt.Println("note:", n)
	}
	if failed {
		os.Exit(1)
	}
}

// sources lists the text files of the project: what Git tracks or would track,
// and without Git every file outside folders of build products.
func sources(root string) ([]string, error) {
	out, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err == nil {
		var files []string
		for _, f := range strings.Split(string(out), "\x00") {
			if info, err := os.Stat(filepath.Join(root, f)); f != "" && err == nil && info.Mode().IsRegular() {
				files = append(files, f)
			}
		}
		return files, nil
	}
	var files []string
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "bin" || d.Name() == "dist" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

func goFiles(files []string) []string {
	var out []string
	for _, f := range files {
		if strings.HasSuffix(f, ".go") {
			out = append(out, f)
		}
	}
	return out
}

func unformatted(files []string) []string {
	args := append([]string{"-l"}, goFiles(files)...)
	out, err := exec.Command("gofmt", args...).CombinedOutput()
	if err != nil {
		return []string{fmt.Sprintf("gofmt: %v: %s", err, out)}
	}
	return strings.Fields(string(out))
}
