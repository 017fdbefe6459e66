package keyspace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// probeCommands is every command that a monitor's connection sends. It is no part of [ReadCommands]: MONITOR shows what everybody sends.
var probeCommands = []string{"AUTH", "CLIENT ID", "CLIENT SETNAME", "MONITOR"}

// longestLine is how much of a line is looked at: a key and a token are at its beginning.
const longestLine = 64 << 10

// monitor is one connection on which a master tells of every command. go-redis' own is not used: it has no end, and gives the
// connection back to its pool.
type monitor struct {
	connection *Connection
	node       *ProbedNode
	conn       net.Conn
	reader     *bufio.Reader
	id         int64 // the server's number for the connection; 0: not known
	closing    sync.Once
}

// openMonitor dials as every client of ours does, and has the server tell.
func openMonitor(ctx context.Context, c *Connection, n *ProbedNode) (*monitor, error) {
	o := c.redisOptions(c.options.ClientName+"-probe", 1)
	ctx, cancel := context.WithTimeout(ctx, o.DialTimeout+o.ReadTimeout)
	defer cancel()
	conn, err := redis.NewDialer(o)(ctx, o.Network, o.Addr)
	if err != nil {
		return nil, connectError(c.options, err)
	}
	w := &wire{Conn: conn, meter: c.meter, allowed: probeCommands}
	m := &monitor{connection: c, node: n, conn: w, reader: bufio.NewReaderSize(w, longestLine)}
	hangUp := context.AfterFunc(ctx, m.close)
	defer hangUp()
	if err := m.greet(o.ReadTimeout); err != nil {
		m.close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	return m, nil
}

// greet says who we are, and begins.
func (m *monitor) greet(timeout time.Duration) error {
	o := m.connection.options
	if err := m.conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return connectError(o, err)
	}
	if o.Password != "" || o.Username != "" {
		auth := []string{"AUTH", o.Username, o.Password}
		if o.Username == "" {
			auth = []string{"AUTH", o.Password}
		}
		if _, err := m.ask(auth...); err != nil {
			return connectError(o, err)
		}
	}
	if _, err := m.ask("CLIENT", "SETNAME", o.ClientName+"-probe"); unlessAnswered(err) != nil {
		return connectError(o, err)
	}
	id, err := m.ask("CLIENT", "ID")
	if unlessAnswered(err) != nil {
		return connectError(o, err)
	}
	m.id, _ = strconv.ParseInt(id, 10, 64) // 0: nobody can ask how much is unread
	_, err = m.ask("MONITOR")
	switch {
	case isDenied(err):
		return &ConnectError{Addr: string(o.Node()), Kind: ErrPermission, Err: err, Mend: m.connection.Mend("+monitor")}
	case isAbsent(err):
		return &ConnectError{Addr: string(o.Node()), Kind: ErrAbsent, Err: err, Mend: "a proxy, a managed service or rename-command hides MONITOR: there is no probe here"}
	case err != nil:
		return connectError(o, err)
	}
	return m.conn.SetDeadline(time.Time{})
}

// ask sends one command whose answer is one line.
func (m *monitor) ask(command ...string) (string, error) {
	request := fmt.Appendf(nil, "*%d\r\n", len(command))
	for _, word := range command {
		request = fmt.Appendf(request, "$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := m.conn.Write(request); err != nil {
		return "", err
	}
	line, err := m.reader.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	switch {
	case line == "":
		return "", errors.New("redis: can't parse an empty answer")
	case line[0] == '-':
		return "", refusal(line[1:])
	default:
		return line[1:], nil
	}
}

// close hangs up. It may be called by whoever wants the end, and more than once.
func (m *monitor) close() {
	m.closing.Do(func() { _ = m.conn.Close() }) // nothing is owed to it
}

// read hands on what the master tells, until the probe is over; the error is that of the connection.
func (m *monitor) read(p *probing) error {
	var line heardLine
	offset := m.connection.clock.offset()
	for {
		raw, cut, size, err := m.line()
		if err != nil {
			select {
			case <-p.stop:
				return nil // it was closed by us
			default:
			}
			if errors.Is(err, os.ErrClosed) || errors.Is(err, net.ErrClosed) {
				return nil
			}
			return lostError(m.connection.options, err)
		}
		m.node.Lines++
		m.node.Bytes += size
		lines, bytes := p.lines.Add(1), p.bytes.Add(size)
		if heard, is := line.parse(raw); is {
			heard.Node, heard.Cut = m.node.Node, cut
			heard.At = heard.At.Add(-offset)
			p.take(heard)
		}
		switch {
		case lines >= p.options.MaxLines:
			p.end(ProbeLines)
		case bytes >= p.options.MaxBytes:
			p.end(ProbeBytes)
		default:
			continue
		}
		m.close()
		return nil
	}
}

// take hands one command on, unless the probe is over.
func (p *probing) take(heard Heard) {
	if p.options.Take == nil {
		return
	}
	p.taking.Lock()
	defer p.taking.Unlock()
	p.options.Take(heard)
}

// line reads one line, and keeps the beginning of one that is too long. What it returns is good until the next one.
func (m *monitor) line() (line []byte, cut bool, size int64, err error) {
	part, err := m.reader.ReadSlice('\n')
	size = int64(len(part))
	if !errors.Is(err, bufio.ErrBufferFull) {
		return part, false, size, err
	}
	line = append(line, part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = m.reader.ReadSlice('\n')
		size += int64(len(part))
	}
	return line, true, size, err
}

// guard ends the probe where the server has to hold too much for us. Where it cannot be asked, the bounds of time, lines and bytes must
// do.
func (m *monitor) guard(ctx context.Context, p *probing) {
	if m.id == 0 {
		return
	}
	look := time.NewTicker(unreadEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		list, err := m.connection.reader.Do(ctx, "CLIENT", "LIST", "ID", m.id).Text()
		if isAnswer(err) {
			return
		}
		if unread(list) > p.options.MaxUnread {
			p.end(ProbeUnread)
			return
		}
	}
}

// unread is how much a server holds for a client, by its line of CLIENT LIST.
func unread(line string) int64 {
	for word := range strings.FieldsSeq(line) {
		if value, found := strings.CutPrefix(word, "omem="); found {
			n, _ := strconv.ParseInt(value, 10, 64) // 0 where it is no number
			return n
		}
	}
	return 0
}
