package redistest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Ports are taken from lowestPort up to highestPort. The bus of a cluster's node is on the port 10,000
// above: none of these, so that another server does not take it. It also stays below the ports that
// systems give to outgoing connections, which could sit on the port of a killed server when it is
// started again.
const (
	lowestPort  = 10000
	highestPort = 19999
)

// FreePort is a port that nobody listens on just now, for what a server takes besides its own.
func FreePort(tb testing.TB) string {
	tb.Helper()
	port, err := freePort()
	if err != nil {
		tb.Fatal(err)
	}
	return port
}

func freePort() (string, error) {
	var refused []error
	for range 20 {
		port := strconv.Itoa(lowestPort + rand.N(highestPort-lowestPort+1))
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			return port, l.Close()
		}
		refused = append(refused, err)
	}
	return "", fmt.Errorf("no free port: %w", errors.Join(refused...))
}
