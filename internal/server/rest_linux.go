package server

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// forgetProgram takes out of this process's memory what it has read of its own program file:
// starting reads nearly all of it, and serving needs little. What is needed again comes from
// the system's cache of the file. Where the system does not say what lies where, nothing is
// done (decision 0093).
func forgetProgram() {
	for _, p := range unchanged("/proc/self/smaps") {
		// Its fault is of no interest: the memory is kept then.
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, p.from, p.to-p.from, syscall.MADV_DONTNEED)
	}
}

// part is a part of the memory, from one address up to another.
type part struct{ from, to uintptr }

// unchanged are the parts of a map of the memory (proc_pid_smaps(5)) that lie in the program
// file, that nobody can write to, and of which nothing was ever written: the code, and what
// is constant. Where programs are put at an address of the system's choice, it writes
// addresses into constants before it forbids writing; those would be lost. They are no longer
// the file's, but anonymous.
func unchanged(smaps string) []part {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	f, err := os.Open(smaps)
	if err != nil {
		return nil
	}
	defer f.Close()
	var parts []part
	ours := false // the lines are about the last of parts
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var p part
		var may string
		fields := strings.Fields(lines.Text())
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s ", &p.from, &p.to, &may); n == 3 {
			if ours = (may == "r--p" || may == "r-xp") && fields[len(fields)-1] == program; ours {
				parts = append(parts, p)
			}
			continue
		}
		if ours && (fields[0] == "Anonymous:" || fields[0] == "Swap:") && fields[1] != "0" {
			parts, ours = parts[:len(parts)-1], false
		}
	}
	return parts
}
