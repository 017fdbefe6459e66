package cli

// terminalDevice is the console, and terminalInput is where answers are read from it.
const (
	terminalDevice = "CONOUT$"
	terminalInput  = "CONIN$"
)
