//go:build linux || darwin

package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/modelparity/modelparity/internal/testing/rig"
)

// table holds the measurements: for each point the nanoseconds of each repetition.
type table struct {
	points map[point][]float64
	order  []point
	lines  strings.Builder // of Go's benchmarks
}

type point struct {
	curve string
	n     int
}

func newTable() *table { return &table{points: map[point][]float64{}} }

// add records and prints one measurement.
func (t *table) add(curve string, n, times int, ns float64) {
	line := fmt.Sprintf("BenchmarkGrowth/%s/%d-%d\t%8d\t%.0f ns/op\n", curve, n,
		runtime.GOMAXPROCS(0), times, ns)
	fmt.Print(line)
	t.lines.WriteString(line)
	t.take(point{curve, n}, ns)
}

func (t *table) take(p point, ns float64) {
	if t.points[p] == nil {
		t.order = append(t.order, p)
	}
	t.points[p] = append(t.points[p], ns)
}

// readResults reads lines of Go's benchmarks, ignoring other benchmarks.
func readResults(path string) (*table, error) {
	f, err := os.Open(path)
	if err != nil {
		return newTable(), err
	}
	defer f.Close()
	t := newTable()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[3] != "ns/op" {
			continue
		}
		parts := strings.Split(fields[0], "/")
		if len(parts) != 3 || parts[0] != "BenchmarkGrowth" {
			continue
		}
		number, _, _ := strings.Cut(parts[2], "-")
		n, err := strconv.Atoi(number)
		ns, wrong := strconv.ParseFloat(fields[2], 64)
		if err != nil || wrong != nil {
			return t, fmt.Errorf("%s: %q is not a benchmark line", path, lines.Text())
		}
		t.take(point{parts[1], n}, ns)
	}
	return t, lines.Err()
}

// linear is the ratio of the cost per item, among ten times as many items, up to which growth
// counts as linear.
const linear = 1.5

// markdown formats the table: a row per curve, with the cost of one item at each power of ten.
func (t *table) markdown() string {
	var b strings.Builder
	b.WriteString("| of | 1 | 10 | 10² | 10³ | 10⁴ | 10⁵ | 10⁶ | 10⁷ | 10⁸ | each, in the end |\n")
	b.WriteString("|" + strings.Repeat(" --- |", 11) + "\n")
	for _, c := range curves {
		row, last, before := "| "+c.what+" |", 0.0, 0.0
		for n := 1; n <= 100_000_000; n *= 10 {
			all := t.points[point{c.name, n}]
			if all == nil {
				row += " |"
				continue
			}
			ns := rig.Median(all)
			row += " " + span(ns) + " |"
			last, before = ns/float64(n), last
		}
		if last == 0 {
			continue
		}
		row += " " + span(last)
		if before > 0 && last > linear*before {
			row += fmt.Sprintf(", %.1f times what it was among a tenth", last/before)
		}
		b.WriteString(row + " |\n")
	}
	return b.String()
}

// span formats nanoseconds with three digits.
func span(ns float64) string {
	if ns < 100 {
		return fmt.Sprintf("%.2g ns", ns)
	}
	d := time.Duration(ns)
	unit := time.Nanosecond
	for unit*1000 <= d {
		unit *= 10
	}
	return d.Round(unit).String()
}

// noisy is the ratio up to which repeated measurements may differ.
const noisy = 1.25

// slower lists the points that take longer than before, relative to the yardstick.
func (t *table) slower(last *table) string {
	at := point{yardstick.name, 1}
	if len(last.points[at]) == 0 || len(t.points[at]) == 0 {
		return "There is nothing to compare with: " + results + " has no measurement.\n"
	}
	machine := rig.Median(t.points[at]) / rig.Median(last.points[at])
	text := fmt.Sprintf("Compared with %s (the yardstick takes %.2f times as long now):\n", results,
		machine)
	compared, slow := 0, 0
	for _, p := range t.order {
		before := last.points[p]
		if p == at || before == nil {
			continue
		}
		compared++
		if ratio := rig.Median(t.points[p]) / rig.Median(before) / machine; ratio > noisy {
			slow++
			text += fmt.Sprintf("SLOWER %s, %d: %.2f times as long, %s and %s\n", p.curve, p.n, ratio,
				span(rig.Median(t.points[p])), span(rig.Median(before)))
		}
	}
	return text + fmt.Sprintf("%d of %d points take more than %.2f times as long.\n", slow, compared,
		noisy)
}

// rewrite replaces the table in the page that begins with the same words.
func rewrite(path, table string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(table, "\n")
	before, rest, found := strings.Cut(string(data), first+"\n")
	if !found {
		return fmt.Errorf("%s: no table that begins %q", path, first)
	}
	for strings.HasPrefix(rest, "|") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return os.WriteFile(path, []byte(before+table+rest), 0o644)
}
