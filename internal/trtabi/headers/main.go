// Headers extracts from NVIDIA's TensorRT headers the facts on which trtabi's tables rely: the
// position of each method in its virtual table, and the number of each enumerator. The headers are
// neither copied nor needed afterwards.
//
//	go run ./headers -out testdata FOLDER…
//
// Each folder contains NvInfer.h, and also NvOnnxParser.h if the release keeps both in one folder.
// To find the release that introduced each method, pass all releases of a major version. The C
// preprocessor cc is needed. Headers writes the lists slots-10.txt, slots-11.txt, enums-10.txt and
// enums-11.txt for the major versions that were given.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	out := flag.String("out", ".", "the folder to write the lists to")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("pass the folders of TensorRT's headers; go generate takes them from TENSORRT_HEADERS")
	}
	releases := map[int][]release{}
	for _, folder := range flag.Args() {
		r, err := read(folder)
		if err != nil {
			log.Fatalf("%s: %v", folder, err)
		}
		releases[r.major] = append(releases[r.major], r)
	}
	for major, all := range releases {
		slices.SortFunc(all, func(a, b release) int { return cmp.Compare(a.minor, b.minor) })
		for kind, lines := range map[string][]string{"slots": slots(all), "enums": enums(all)} {
			path := filepath.Join(*out, fmt.Sprintf("%s-%d.txt", kind, major))
			text := strings.Join(lines, "\n") + "\n"
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				log.Fatal(err)
			}
		}
	}
}

// unsteady reports whether r is release 10.8. Its method tables differ from all other
// releases; NVIDIA reverted the change in 10.9.
func unsteady(r release) bool { return r.major == 10 && r.minor == 8 }

// slots lists the methods in the newest release: class, slot, method, and the first minor version
// that has the method. If a method has a different slot in an older release, slots ends the
// program, because trtabi's tables assume that NVIDIA only appends methods.
func slots(all []release) []string {
	newest := all[len(all)-1]
	lines := []string{"# class, slot, method, first minor version; read from " + names(all)}
	for _, class := range slices.Sorted(maps.Keys(newest.classes)) {
		for slot, method := range newest.classes[class] {
			since := newest.minor
			for _, r := range all {
				table, known := r.classes[class]
				if !known || unsteady(r) {
					continue
				}
				if at := slices.Index(table, method); at >= 0 && at != slot &&
					slices.Index(newest.classes[class], method) == slot {
					log.Fatalf("method %s.%s has slot %d in TensorRT %d.%d but slot %d in %d.%d; trtabi "+
						"cannot support both: leave out one release, as func unsteady() does with 10.8",
						class, method, at, r.major, r.minor, slot, newest.major, newest.minor)
				}
				if slot < len(table) && table[slot] == method {
					since = min(since, r.minor)
				}
			}
			lines = append(lines, fmt.Sprintf("%s %d %s %d", class, slot, method, since))
		}
	}
	return lines
}

// enums lists the enumerators in the newest release: enumeration, name, number, and the first minor
// version that has the enumerator.
func enums(all []release) []string {
	newest := all[len(all)-1]
	lines := []string{"# enumeration, name, number, first minor version; read from " + names(all)}
	for _, enum := range slices.Sorted(maps.Keys(newest.enums)) {
		for _, e := range newest.enums[enum] {
			first := all[slices.IndexFunc(all, func(r release) bool {
				return slices.Contains(r.enums[enum], e)
			})]
			lines = append(lines, fmt.Sprintf("%s %s %d %d", enum, e.name, e.number, first.minor))
		}
	}
	return lines
}

func names(all []release) string {
	texts := make([]string, len(all))
	for i, r := range all {
		texts[i] = fmt.Sprintf("%d.%d", r.major, r.minor)
	}
	return "TensorRT " + strings.Join(texts, ", ")
}
