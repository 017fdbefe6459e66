package ui_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

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
	want := before + schemesBegin + schemesTable() + schemesEnd + after
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
