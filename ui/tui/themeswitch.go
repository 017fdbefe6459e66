package tui

// nextTheme goes on to the next theme, and says its name. Nothing is kept: that is done by saving the view.
func (m *model) nextTheme() {
	if m.config.NoColor {
		m.toast = infoToast("NO_COLOR is set: the theme stays "+m.theme.name, m.clock())
		return
	}
	m.theme = m.theme.after()
	m.toast = infoToast("theme: "+m.theme.name, m.clock())
}
