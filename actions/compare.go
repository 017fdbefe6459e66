package actions

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// byCompare carries out plans on a string with the commands that compare a value and act in one step: DELEX and SET IFEQ (Redis 8.4),
// DELIFEQ (Valkey 9.0), SET IFEQ (Valkey 8.1). It is for users, and for proxies, that have neither scripts nor transactions. Whether a
// server has them it finds out by trying: Valkey calls itself Redis 7.2.
//
// Only the value is compared in the same step as the action; the other facts, which are asked right before, may change in between.
type byCompare struct{}

func (byCompare) name() string { return "compare" }

// rules are those for a transaction: it compares everything in the same moment, and every server knows its commands, while one refuses
// a whole line of rules that names a command which it does not know.
func (byCompare) rules() []string { return byWatch{}.rules() }

// errNoCompare says that the plan is none that these commands can carry out.
var errNoCompare = errors.New("it takes a script or a transaction")

// compareOnly is said of every action that was done so.
const compareOnly = "only its value was compared in the same moment, for this user may run neither scripts nor transactions"

func (byCompare) execute(ctx context.Context, at place, p plan) (answer, error) {
	ways := p.comparing()
	if len(ways) == 0 {
		return answer{}, errNoCompare
	}
	for range watchTries {
		a, err := p.askUnwatched(ctx, at)
		if err != nil || a.code != codeDone {
			return a, err
		}
		acted, err := p.compareAndAct(ctx, at, ways)
		if acted || err != nil {
			return a, err
		}
		// The value changed after it was asked: the next answer tells to what.
	}
	return answer{}, fmt.Errorf("compare %q: %w", p.keys[0], errBusyKey)
}

// compareAndAct sends the first of the commands that the server knows; acted is false where the value was another one.
func (p plan) compareAndAct(ctx context.Context, at place, ways [][]string) (acted bool, err error) {
	for _, way := range ways {
		reply, err := at.send(ctx, at.client, anyWords(way))[0].Result()
		switch {
		case isUnknown(err):
			continue
		case err != nil && !errors.Is(err, redis.Nil):
			return false, afterSend(fmt.Errorf("%s %q by %s: %w", p.verb, p.keys[0], way[0], err))
		}
		said, known := textOf(reply)
		return known && said != "0", nil
	}
	return false, errNoCompare
}

// comparing are the commands that do what the plan's only command does if the value is the one that was seen, in the order in which they
// are tried; none where there is no such command.
func (p plan) comparing() [][]string {
	size, value := "", ""
	for _, f := range p.facts {
		switch {
		case f.ask[0] == "STRLEN" && f.ask[1] == p.keys[0]:
			size = f.want
		case f.ask[0] == "GETRANGE" && f.ask[1] == p.keys[0]:
			value = f.want
		}
	}
	if len(p.commands) != 1 || size != strconv.Itoa(len(value)) { // several commands, no string, or not all of its value is known
		return nil
	}
	switch command := p.commands[0]; command[0] {
	case "DEL":
		return [][]string{{"DELEX", command[1], "IFEQ", value}, {"DELIFEQ", command[1], value}}
	case "PEXPIRE":
		return [][]string{{"SET", command[1], value, "IFEQ", value, "PX", command[2]}}
	case "SET":
		return [][]string{append([]string{"SET", command[1], command[2], "IFEQ", value}, command[3:]...)}
	}
	return nil
}

// isUnknown says whether the server does not know the command, or this form of it.
func isUnknown(err error) bool { return err != nil && unknownForm.MatchString(replyText(err)) }

var unknownForm = regexp.MustCompile(`(?i)^(ERR )?(unknown command|syntax error)`)

// transactionsDenied says whether it is transactions themselves that this user or this server does not have.
func transactionsDenied(err error) bool {
	reply := replyText(err)
	if strings.HasPrefix(reply, "NOPERM") || strings.HasPrefix(reply, "EXECABORT") {
		return deniedTransaction.MatchString(reply)
	}
	return unknownTransaction.MatchString(reply)
}

var (
	deniedTransaction  = regexp.MustCompile(`(?i)run the '(watch|multi|exec)' command`)
	unknownTransaction = regexp.MustCompile(`(?i)^(ERR )?unknown command .?(watch|multi|exec)\b`)
)

// ways are how a plan may be carried out, in the order in which they are tried.
func (o *Operator) ways() []executor {
	if o.scriptsDenied.Load() {
		return []executor{byWatch{}, byCompare{}}
	}
	return []executor{byScript{}, byWatch{}, byCompare{}}
}
