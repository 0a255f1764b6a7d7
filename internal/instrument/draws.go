package instrument

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"io/fs"
	"math"
	"strconv"
	"strings"
)

// maxDraws bounds what a directory can ask for at every scoring.
const maxDraws = 10000

// readDraws reads the table of draws: CSV with a line of names, then one draw a line, a
// number for each dimension of the typology. nil: it has faults.
func (f *faults) readDraws(fsys fs.FS, d drawsDef) [][]float64 {
	path := at("typology.stability_draws")
	if !fs.ValidPath(d.File) || strings.Contains(d.File, "/") {
		f.wrong(path+".file", "must be a file beside instrument.yaml")
		return nil
	}
	data, err := readFile(fsys, d.File)
	if err != nil {
		f.wrong(d.File, "cannot be read: %v", err)
		return nil
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != d.SHA256 {
		f.wrong(path+".sha256", "is not the digest of %s, %x", d.File, sum)
	}
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil || len(lines) < 2 || len(lines) > maxDraws+1 {
		f.wrong(d.File, "must hold a line of names and 1 to %d lines of as many numbers", maxDraws)
		return nil
	}
	draws := make([][]float64, len(lines)-1)
	for i, line := range lines[1:] {
		for _, cell := range line {
			x, err := strconv.ParseFloat(cell, 64)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				f.wrong(d.File, "line %d: %q is not a number", i+2, cell)
				return nil
			}
			draws[i] = append(draws[i], x)
		}
	}
	return draws
}
