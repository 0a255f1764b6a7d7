package typus_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	decisionLine = regexp.MustCompile(`(?m)^\| \[(\d{4})\]\((\d{4}-[a-z0-9-]+\.md)\) \| (.+?) \| (.+?) \| (\d{4}-\d{2}-\d{2}) \|$`)
	decisionHead = regexp.MustCompile(`\A# (\d{4})\. (.+)\n\n- Status: (accepted|superseded by \d{4})\n- Date: (\d{4}-\d{2}-\d{2})\n`)
	markdownLink = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)\s]*)?\)`)
)

func TestTheListOfDecisionsAgreesWithItsPages(t *testing.T) {
	list, err := os.ReadFile("docs/decisions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("docs/decisions/[0-9]*.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := decisionLine.FindAllStringSubmatch(string(list), -1)
	if len(lines) == 0 || len(lines) != len(pages) {
		t.Fatalf("the list has %d decisions, the directory %d pages", len(lines), len(pages))
	}
	for i, line := range lines {
		number, file := line[1], line[2]
		if n, _ := strconv.Atoi(number); n != i+1 || !strings.HasPrefix(file, number+"-") {
			t.Errorf("line %d of the list is number %s, which leads to %s", i+1, number, file)
		}
		page, err := os.ReadFile(filepath.Join("docs/decisions", file))
		if err != nil {
			t.Error(err)
			continue
		}
		head := decisionHead.FindStringSubmatch(string(page))
		if head == nil {
			t.Errorf("%s does not begin with its number, title, status and date", file)
			continue
		}
		if head[1] != number || head[2] != line[3] || head[3] != line[4] || head[4] != line[5] {
			t.Errorf("%s says %q, the list %q", file, head[1:], line[3:])
		}
		at := 0
		for _, section := range []string{"\n## Context\n\n", "\n## Decision\n\n", "\n## Alternatives\n\n- ", "\n## Consequences\n\n"} {
			found := strings.Index(string(page[at:]), section)
			if found < 0 {
				t.Errorf("%s lacks %q, or has it in another order", file, strings.TrimSpace(section))
				break
			}
			at += found
		}
	}
}

func TestLinksBetweenTheDocumentsLeadSomewhere(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.md", "bench/*.md", "docs/*.md", "docs/*/*.md", "examples/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range markdownLink.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(link[1], ":") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), link[1])); err != nil {
				t.Errorf("%s links to %s: %v", file, link[1], err)
			}
		}
	}
}
