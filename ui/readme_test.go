package ui_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"locktop/actions"
	"locktop/inspector"
)

var update = flag.Bool("update", false, "write the README's generated parts anew")

const (
	readme       = "../README.md"
	schemesBegin = "<!-- schemes: go test ./ui -run TestReadmeSchemes -update -->\n"
	schemesEnd   = "<!-- end of schemes -->\n"
)

// TestReadmeSchemes holds the README's table of schemes to what the program knows.
func TestReadmeSchemes(t *testing.T) {
	raw, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(raw), schemesBegin)
	_, after, ended := strings.Cut(rest, schemesEnd)
	if !begun || !ended {
		t.Fatalf("the README has no part between %q and %q", schemesBegin, schemesEnd)
	}
	want := before + schemesBegin + schemesTable() + librariesTable() + schemesEnd + after
	if want == string(raw) {
		return
	}
	if !*update {
		t.Fatal("the README's table of schemes is out of date; run: go test ./ui -run TestReadmeSchemes -update")
	}
	if err := os.WriteFile(readme, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

func schemesTable() string {
	var b strings.Builder
	b.WriteString("| scheme | left by | recognised by | shown | a release | beware |\n|---|---|---|---|---|---|\n")
	for _, s := range inspector.Schemes() {
		release, beware := "none", "-"
		if recipe, known := actions.RecipeFor(s.Name); known {
			if step, supported := recipe.Steps[actions.VerbRelease]; supported {
				release = step.Does
			} else {
				release = "none: " + recipe.Refused[actions.VerbRelease]
			}
			if len(recipe.Warnings) > 0 {
				beware = strings.Join(recipe.Warnings, " ")
			}
		}
		row := []string{"`" + string(s.Name) + "`", s.Systems, s.RecognisedBy, s.Shows, release, beware}
		for i, cell := range row {
			row[i] = strings.ReplaceAll(cell, "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	return b.String()
}

// librariesTable are the libraries whose locks have a scheme that others have too.
func librariesTable() string {
	var b strings.Builder
	b.WriteString("\nThese libraries leave locks of a general scheme; what is shown and what a release does is as above.\n\n| library | scheme | recognised by | beware |\n|---|---|---|---|\n")
	for _, l := range inspector.Libraries() {
		var schemes, beware []string
		for _, s := range l.Schemes {
			schemes = append(schemes, "`"+string(s)+"`")
		}
		if l.Discouraged {
			beware = append(beware, "Discouraged.")
		}
		if l.Consequence != "" {
			beware = append(beware, l.Consequence)
		}
		if l.Unchecked {
			beware = append(beware, "Its holders release without looking whose lock it is.")
		}
		switch {
		case l.Recreates && l.Renews > 0:
			beware = append(beware, "Its renewal re-creates a deleted lock.")
		case l.Recreates:
			beware = append(beware, "An extension may re-create a deleted lock.")
		}
		if l.ComparesEnd {
			beware = append(beware, "An extension changes the value that its holder compares when it releases.")
		}
		row := []string{l.Name, strings.Join(schemes, ", "), l.RecognisedBy, strings.Join(beware, " ")}
		for i, cell := range row {
			row[i] = strings.ReplaceAll(cell, "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	return b.String()
}

// TestReadmeLinks holds the links of the README to headings and files that there are, and shows every picture that is kept.
func TestReadmeLinks(t *testing.T) {
	raw, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	anchors, code := map[string]bool{}, false
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if heading, is := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); is && !code && strings.HasPrefix(line, "#") {
			anchors["#"+anchor(heading)] = true
		}
	}
	shown := map[string]bool{}
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(string(raw), -1) {
		switch to := link[1]; {
		case strings.HasPrefix(to, "#"):
			if !anchors[to] {
				t.Errorf("there is no heading for %s", to)
			}
		case !strings.Contains(to, "://"):
			shown[to] = true
			if _, err := os.Stat(filepath.Join("..", to)); err != nil {
				t.Error(err)
			}
		}
	}
	pictures, err := filepath.Glob("../.github/*.svg")
	if err != nil || len(pictures) == 0 {
		t.Fatalf("%d pictures: %v", len(pictures), err)
	}
	for _, picture := range pictures {
		if name := ".github/" + filepath.Base(picture); !shown[name] {
			t.Errorf("nothing shows %s", name)
		}
	}
}

// anchor is how a heading is linked to: its letters, digits, hyphens and blanks, the blanks as hyphens.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}
