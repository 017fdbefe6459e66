package cli

// terminalDevice is the console.
const terminalDevice = "CONOUT$"
