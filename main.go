// Locktop is htop for Redis locks.
package main

import (
	"context"
	"os"

	"locktop/ui/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
