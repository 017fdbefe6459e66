package keyspace_test

import (
	"testing"

	"locktop/keyspace/redistest"
)

func TestMain(m *testing.M) { redistest.Main(m) }
