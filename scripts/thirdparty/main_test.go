package main

import (
	"os"
	"os/exec"
	"testing"
)

func TestTheListOfThirdPartiesIsUpToDate(t *testing.T) {
	written, err := os.ReadFile("../../THIRD_PARTY.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("../../go.mod"); err != nil { // so that Go runs this again when it has changed
		t.Fatal(err)
	}
	list := exec.Command("go", "run", "./scripts/thirdparty")
	list.Dir = "../.."
	now, err := list.Output()
	if err != nil || string(now) != string(written) {
		t.Errorf("run `make third-party`: %v", err)
	}
}
