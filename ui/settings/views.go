package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"
	"github.com/adrg/xdg"
)

// The names under which views are kept where there is no profile, and for a demo.
const (
	DefaultView = "default"
	DemoView    = "demo"
)

// View is what of the dashboard was kept. A zero value stands for the default of each.
type View struct {
	View     string   `toml:"view,omitempty"`
	Columns  []string `toml:"columns,omitempty"`
	Sort     string   `toml:"sort,omitempty"`
	Reverse  bool     `toml:"reverse,omitempty"`
	Filter   string   `toml:"filter,omitempty"`
	Suspects bool     `toml:"suspects,omitempty"`
	Theme    string   `toml:"theme,omitempty"`

	HoldersSort    string `toml:"holders_sort,omitempty"`
	HoldersReverse bool   `toml:"holders_reverse,omitempty"`
	Trouble        bool   `toml:"trouble,omitempty"`
}

// ViewsPath is where views are kept: one table for each profile.
func ViewsPath() string { return filepath.Join(xdg.StateHome, "locktop", "views.toml") }

// LoadView is the view that was kept under a name; without one it is zero.
func LoadView(name string) (View, error) {
	var view View
	all, meta, err := readViews()
	if err != nil {
		return View{}, err
	}
	kept, there := all[name]
	if !there {
		return View{}, nil
	}
	if err := meta.PrimitiveDecode(kept, &view); err != nil {
		return View{}, brokenViews(err)
	}
	return view, nil
}

// SaveView keeps a view under a name, and says where. What is kept under other names stays. A file that cannot be read stays too:
// it may hold what somebody wants back.
func SaveView(name string, view View) (path string, err error) {
	kept, meta, err := readViews()
	if err != nil {
		return "", err
	}
	all := make(map[string]any, len(kept)+1)
	for other, content := range kept {
		var as any
		if err := meta.PrimitiveDecode(content, &as); err != nil {
			return "", brokenViews(err)
		}
		all[other] = as
	}
	all[name] = view
	var out bytes.Buffer
	out.WriteString("# What locktop's dashboard was told to keep (S), by the names of profiles.\n\n")
	encoder := toml.NewEncoder(&out)
	encoder.Indent = ""
	if err := encoder.Encode(all); err != nil {
		return "", fmt.Errorf("keeping the view: %w", err)
	}
	path = ViewsPath()
	if err := replace(path, out.Bytes()); err != nil {
		return "", fmt.Errorf("keeping the view: %w", err)
	}
	return path, nil
}

// readViews reads all of them; no file is none of them.
func readViews() (map[string]toml.Primitive, *toml.MetaData, error) {
	raw, err := os.ReadFile(ViewsPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the views: %w", err)
	}
	var all map[string]toml.Primitive
	meta, err := toml.Decode(string(raw), &all)
	if err != nil {
		return nil, nil, brokenViews(err)
	}
	return all, &meta, nil
}

// brokenViews says what is wrong with the file, and that it is left alone.
func brokenViews(err error) error {
	path := ViewsPath()
	if where := (toml.ParseError{}); errors.As(err, &where) {
		return fmt.Errorf("%s:%d: the views cannot be read: %s; the file is left as it is: mend it, or remove it", path, where.Position.Line, where.Message)
	}
	return fmt.Errorf("%s: the views cannot be read: %w; the file is left as it is: mend it, or remove it", path, err)
}

// replace puts a file in the place of another in one step: whoever reads it finds the old one or the new one.
func replace(path string, content []byte) (err error) {
	if behind, err := filepath.EvalSymlinks(path); err == nil {
		path = behind // a link stays one
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, filepath.Base(path)+".*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
