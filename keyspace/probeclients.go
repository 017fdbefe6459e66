package keyspace

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// listClients lists the connections of the server once.
func (c *Connection) listClients(ctx context.Context) ([]Client, error) {
	list, err := c.reader.Do(ctx, "CLIENT", "LIST").Text()
	if err != nil {
		return nil, wrap("client list", err)
	}
	var clients []Client
	for line := range strings.Lines(list) {
		if client, is := parseProbedClient(line); is {
			client.Node = c.Node()
			clients = append(clients, client)
		}
	}
	return clients, nil
}

// parseProbedClient reads a line of CLIENT LIST ("id=7 addr=127.0.0.1:50312 ... name=worker-2 age=3 ...").
func parseProbedClient(line string) (client Client, is bool) {
	for word := range strings.FieldsSeq(line) {
		name, value, _ := strings.Cut(word, "=")
		number, _ := strconv.ParseInt(value, 10, 64) // 0 where it is none
		switch name {
		case "id":
			client.ID = number
		case "addr":
			client.Addr = value
		case "name":
			client.Name = value
		case "age":
			client.Age = time.Duration(number) * time.Second
		case "idle":
			client.Idle = time.Duration(number) * time.Second
		case "flags":
			client.Flags = value
		case "sub", "psub", "ssub":
			client.Subscriptions += int(number)
		case "cmd":
			client.Command = value
		case "user":
			client.User = value
		case "lib-name":
			client.Library = value
		case "lib-ver":
			client.LibraryVersion = value
		}
	}
	return client, client.Addr != ""
}
