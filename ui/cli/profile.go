package cli

import (
	"context"

	"locktop/ui/settings"
	"locktop/ui/text"
	"locktop/ui/tui"
)

// profileName is the name of the profile that is used; empty: none.
func (a *app) profileName() string {
	if a.profile == nil {
		return ""
	}
	return a.profile.Name
}

// otherKeys are the keys that the configuration gives to the dashboard's bindings.
func (a *app) otherKeys() map[string][]string {
	if a.profile == nil {
		return nil
	}
	return a.profile.Keys
}

// views is how the dashboard begins, and what keeps another view. What was given for this run goes before what was kept, and that
// before the profile. A view that cannot be read is said, and left as it is.
func (a *app) views(draw *screen, demo bool) (begin tui.Settings, save func(tui.Settings) (string, error)) {
	name := a.profileName()
	switch {
	case demo:
		name = settings.DemoView
	case name == "":
		name = settings.DefaultView
	}
	kept, err := settings.LoadView(name)
	if err != nil {
		a.say("%s", text.Legible(oneLine(err.Error())))
	}
	begin = tui.Settings(kept)
	if err := begin.Check(); err != nil { // it may be of a later version, and is no reason not to start
		a.say("%s: what was kept for %s is not of this version, and is not used: %v", settings.ViewsPath(), name, err)
		begin = tui.Settings{}
	}
	if begin.Theme == "" || a.chosenNow("theme") {
		begin.Theme = draw.theme
	}
	return begin, func(s tui.Settings) (string, error) { return settings.SaveView(name, settings.View(s)) }
}

// commandedPassword is what the profile's password command prints; empty: there is none, or it is for another server.
func (a *app) commandedPassword(ctx context.Context) (string, error) {
	if a.profile == nil || a.profile.PasswordCommand == nil || a.barred {
		return "", nil
	}
	if a.password == "" {
		var err error
		if a.password, err = a.file.Password(ctx, a.profile, a.stdin, a.stderr); err != nil {
			return "", failed("%w", err)
		}
	}
	return a.password, nil
}
