//go:build !unix

package settings

// exposed says who else can write to a file. Where modes do not say it, nobody is assumed to.
func exposed(string) error { return nil }
