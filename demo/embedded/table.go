package embedded

// commandTable makes the table of the commands that the server knows: those of Redis 7.0.15 that locks, their clients and
// locktop use, with the number of their words and the places of their keys as COMMAND of that version tells them.
func commandTable() map[string]*command {
	table := map[string]*command{}
	for _, group := range [][]command{connectionCommands(), genericCommands(), valueCommands(), collectionCommands(), otherCommands()} {
		for i := range group {
			table[group[i].name] = &group[i]
		}
	}
	return table
}

func connectionCommands() []command {
	return []command{
		// Connection
		{"hello", -1, fast | noScript | noAuth | unmonitored, 0, 0, 0, helloCommand},
		{"auth", -2, fast | noScript | noAuth | unmonitored, 0, 0, 0, authCommand},
		{"ping", -1, fast | subscriberOK, 0, 0, 0, pingCommand},
		{"echo", 2, fast, 0, 0, 0, echoCommand},
		{"select", 2, fast, 0, 0, 0, selectCommand},
		{"quit", -1, fast | noScript | noAuth | subscriberOK | noQueue | unmonitored, 0, 0, 0, quitCommand},
		{"reset", 1, fast | noScript | noAuth | subscriberOK | noQueue, 0, 0, 0, resetCommand},
		{"client", -2, noScript, 0, 0, 0, clientCommand},
		// Server
		{"acl", -2, noScript | unmonitored, 0, 0, 0, aclCommand},
		{"cluster", -2, noScript, 0, 0, 0, clusterCommand},
		{"command", -1, 0, 0, 0, 0, commandCommand},
		{"config", -2, noScript | unmonitored, 0, 0, 0, configCommand},
		{"dbsize", 1, readOnly | fast, 0, 0, 0, sizeCommand},
		{"flushall", -1, write, 0, 0, 0, flushCommand},
		{"flushdb", -1, write, 0, 0, 0, flushCommand},
		{"info", -1, 0, 0, 0, 0, infoCommand},
		{"memory", -2, 0, 0, 0, 0, memoryCommand},
		{"monitor", 1, noScript | unmonitored, 0, 0, 0, monitorCommand},
		{"role", 1, fast | noScript, 0, 0, 0, roleCommand},
		{"swapdb", 3, write | fast, 0, 0, 0, swapCommand},
		{"time", 1, fast, 0, 0, 0, timeCommand},
		{"wait", 3, noScript, 0, 0, 0, waitCommand},
	}
}

func genericCommands() []command {
	return []command{
		// Generic
		{"copy", -3, write | looksItself, 1, 2, 1, copyCommand},
		{"del", -2, write, 1, -1, 1, deleteCommand},
		{"dump", 2, readOnly, 1, 1, 1, forwardCommand},
		{"exists", -2, readOnly | fast | noTouch, 1, -1, 1, forwardCommand},
		{"expire", -3, write | fast, 1, 1, 1, expireCommand("EX")},
		{"expireat", -3, write | fast, 1, 1, 1, expireCommand("EXAT")},
		{"expiretime", 2, readOnly | fast | noTouch, 1, 1, 1, ttlCommand(atSecond)},
		{"keys", 2, readOnly, 0, 0, 0, keysCommand},
		{"move", 3, write | fast, 1, 1, 1, moveCommand},
		{"object", -2, 0, 0, 0, 0, objectCommand},
		{"persist", 2, write | fast, 1, 1, 1, persistCommand},
		{"pexpire", -3, write | fast, 1, 1, 1, expireCommand("PX")},
		{"pexpireat", -3, write | fast, 1, 1, 1, expireCommand("PXAT")},
		{"pexpiretime", 2, readOnly | fast | noTouch, 1, 1, 1, ttlCommand(atMillisecond)},
		{"pttl", 2, readOnly | fast | noTouch, 1, 1, 1, ttlCommand(millisecondsLeft)},
		{"randomkey", 1, readOnly, 0, 0, 0, randomKeyCommand},
		{"rename", 3, write | looksItself, 1, 2, 1, renameCommand},
		{"renamenx", 3, write | fast | looksItself, 1, 2, 1, renameCommand},
		{"restore", -4, write, 1, 1, 1, restoreCommand},
		{"scan", -2, readOnly, 0, 0, 0, scanCommand},
		{"touch", -2, readOnly | fast, 1, -1, 1, forwardCommand},
		{"ttl", 2, readOnly | fast | noTouch, 1, 1, 1, ttlCommand(secondsLeft)},
		{"type", 2, readOnly | fast | noTouch, 1, 1, 1, forwardCommand},
		{"unlink", -2, write | fast, 1, -1, 1, deleteCommand},
	}
}

func valueCommands() []command {
	return []command{
		// Strings
		{"append", 3, write | fast, 1, 1, 1, appendCommand},
		{"decr", 2, write | fast, 1, 1, 1, countCommand},
		{"decrby", 3, write | fast, 1, 1, 1, countCommand},
		{"get", 2, readOnly | fast, 1, 1, 1, forwardCommand},
		{"getdel", 2, write | fast, 1, 1, 1, getDeleteCommand},
		{"getex", -2, write | fast, 1, 1, 1, getExpireCommand},
		{"getrange", 4, readOnly, 1, 1, 1, getRangeCommand},
		{"getset", 3, write | fast, 1, 1, 1, getSetCommand},
		{"incr", 2, write | fast, 1, 1, 1, countCommand},
		{"incrby", 3, write | fast, 1, 1, 1, countCommand},
		{"incrbyfloat", 3, write | fast, 1, 1, 1, growCommand(classString, "incrbyfloat", always)},
		{"mget", -2, readOnly | fast, 1, -1, 1, forwardCommand},
		{"mset", -3, write, 1, -1, 2, setManyCommand(false)},
		{"msetnx", -3, write, 1, -1, 2, setManyCommand(true)},
		{"psetex", 4, write, 1, 1, 1, setExpiringCommand("PX")},
		{"set", -3, write, 1, 1, 1, setCommand},
		{"setex", 4, write, 1, 1, 1, setExpiringCommand("EX")},
		{"setnx", 3, write | fast, 1, 1, 1, setIfNewCommand},
		{"setrange", 4, write, 1, 1, 1, setRangeCommand},
		{"strlen", 2, readOnly | fast, 1, 1, 1, forwardCommand},
	}
}

func collectionCommands() []command {
	return []command{
		// Hashes
		{"hdel", -3, write | fast, 1, 1, 1, shrinkCommand(classHash, "hdel", positive)},
		{"hexists", 3, readOnly | fast, 1, 1, 1, forwardCommand},
		{"hget", 3, readOnly | fast, 1, 1, 1, forwardCommand},
		{"hgetall", 2, readOnly, 1, 1, 1, forwardCommand},
		{"hincrby", 4, write | fast, 1, 1, 1, incrementFieldCommand},
		{"hincrbyfloat", 4, write | fast, 1, 1, 1, incrementFloatCommand},
		{"hkeys", 2, readOnly, 1, 1, 1, forwardCommand},
		{"hlen", 2, readOnly | fast, 1, 1, 1, forwardCommand},
		{"hmget", -3, readOnly | fast, 1, 1, 1, forwardCommand},
		{"hmset", -4, write | fast, 1, 1, 1, growCommand(classHash, "hset", always)},
		{"hrandfield", -2, readOnly, 1, 1, 1, randomCommand},
		{"hscan", -3, readOnly, 1, 1, 1, forwardCommand},
		{"hset", -4, write | fast, 1, 1, 1, growCommand(classHash, "hset", always)},
		{"hsetnx", 4, write | fast, 1, 1, 1, growCommand(classHash, "hset", positive)},
		{"hstrlen", 3, readOnly | fast, 1, 1, 1, forwardCommand},
		{"hvals", 2, readOnly, 1, 1, 1, forwardCommand},
		// Lists
		{"blmove", 6, write | noScript | blocks, 1, 2, 1, blockingMoveCommand},
		{"blpop", -3, write | noScript | blocks, 1, -2, 1, blockingPopCommand("LPOP")},
		{"brpop", -3, write | noScript | blocks, 1, -2, 1, blockingPopCommand("RPOP")},
		{"brpoplpush", 4, write | noScript | blocks, 1, 2, 1, blockingMoveCommand},
		{"lindex", 3, readOnly, 1, 1, 1, forwardCommand},
		{"linsert", 5, write, 1, 1, 1, growCommand(classList, "linsert", positive)},
		{"llen", 2, readOnly | fast, 1, 1, 1, forwardCommand},
		{"lmove", 5, write, 1, 2, 1, moveElementCommand},
		{"lpop", -2, write | fast, 1, 1, 1, shrinkCommand(classList, "lpop", gaveSome)},
		{"lpos", -3, readOnly, 1, 1, 1, positionCommand},
		{"lpush", -3, write | fast, 1, 1, 1, growCommand(classList, "lpush", always)},
		{"lpushx", -3, write | fast, 1, 1, 1, growCommand(classList, "lpush", positive)},
		{"lrange", 4, readOnly, 1, 1, 1, forwardCommand},
		{"lrem", 4, write, 1, 1, 1, shrinkCommand(classList, "lrem", positive)},
		{"lset", 4, write, 1, 1, 1, growCommand(classList, "lset", always)},
		{"ltrim", 4, write, 1, 1, 1, shrinkCommand(classList, "ltrim", always)},
		{"rpop", -2, write | fast, 1, 1, 1, shrinkCommand(classList, "rpop", gaveSome)},
		{"rpoplpush", 3, write, 1, 2, 1, moveElementCommand},
		{"rpush", -3, write | fast, 1, 1, 1, growCommand(classList, "rpush", always)},
		{"rpushx", -3, write | fast, 1, 1, 1, growCommand(classList, "rpush", positive)},
		// Sets
		{"sadd", -3, write | fast, 1, 1, 1, growCommand(classSet, "sadd", positive)},
		{"scard", 2, readOnly | fast, 1, 1, 1, forwardCommand},
		{"sdiff", -2, readOnly, 1, -1, 1, membersCommand},
		{"sdiffstore", -3, write, 1, -1, 1, storeSetCommand},
		{"sinter", -2, readOnly, 1, -1, 1, membersCommand},
		{"sintercard", -3, readOnly, 0, 0, 0, forwardCommand},
		{"sinterstore", -3, write, 1, -1, 1, storeSetCommand},
		{"sismember", 3, readOnly | fast, 1, 1, 1, forwardCommand},
		{"smembers", 2, readOnly, 1, 1, 1, forwardCommand},
		{"smismember", -3, readOnly | fast, 1, 1, 1, forwardCommand},
		{"smove", 4, write | fast, 1, 2, 1, moveMemberCommand},
		{"spop", -2, write | fast, 1, 1, 1, shrinkCommand(classSet, "spop", gaveSome)},
		{"srandmember", -2, readOnly, 1, 1, 1, randomCommand},
		{"srem", -3, write | fast, 1, 1, 1, shrinkCommand(classSet, "srem", positive)},
		{"sscan", -3, readOnly, 1, 1, 1, forwardCommand},
		{"sunion", -2, readOnly, 1, -1, 1, membersCommand},
		{"sunionstore", -3, write, 1, -1, 1, storeSetCommand},
		// Sorted sets
		{"zadd", -4, write | fast, 1, 1, 1, addScoredCommand},
		{"zcard", 2, readOnly | fast, 1, 1, 1, forwardCommand},
		{"zcount", 4, readOnly | fast, 1, 1, 1, forwardCommand},
		{"zincrby", 4, write | fast, 1, 1, 1, addScoredCommand},
		{"zlexcount", 4, readOnly | fast, 1, 1, 1, forwardCommand},
		{"zmscore", -3, readOnly | fast, 1, 1, 1, forwardCommand},
		{"zpopmax", -2, write | fast, 1, 1, 1, popScoredCommand},
		{"zpopmin", -2, write | fast, 1, 1, 1, popScoredCommand},
		{"zrandmember", -2, readOnly, 1, 1, 1, randomCommand},
		{"zrange", -4, readOnly, 1, 1, 1, scoredCommand},
		{"zrangebylex", -4, readOnly, 1, 1, 1, forwardCommand},
		{"zrangebyscore", -4, readOnly, 1, 1, 1, scoredCommand},
		{"zrank", 3, readOnly | fast, 1, 1, 1, forwardCommand},
		{"zrem", -3, write | fast, 1, 1, 1, shrinkCommand(classSorted, "zrem", positive)},
		{"zremrangebylex", 4, write, 1, 1, 1, shrinkCommand(classSorted, "zremrangebylex", positive)},
		{"zremrangebyrank", 4, write, 1, 1, 1, shrinkCommand(classSorted, "zremrangebyrank", positive)},
		{"zremrangebyscore", 4, write, 1, 1, 1, shrinkCommand(classSorted, "zremrangebyscore", positive)},
		{"zrevrange", -4, readOnly, 1, 1, 1, scoredCommand},
		{"zrevrangebylex", -4, readOnly, 1, 1, 1, forwardCommand},
		{"zrevrangebyscore", -4, readOnly, 1, 1, 1, scoredCommand},
		{"zrevrank", 3, readOnly | fast, 1, 1, 1, forwardCommand},
		{"zscan", -3, readOnly, 1, 1, 1, plainCommand},
		{"zscore", 3, readOnly | fast, 1, 1, 1, forwardCommand},
	}
}

func otherCommands() []command {
	return []command{
		// Transactions
		{"discard", 1, fast | noScript | noQueue, 0, 0, 0, discardCommand},
		{"exec", 1, noScript | noQueue, 0, 0, 0, execCommand},
		{"multi", 1, fast | noScript | noQueue, 0, 0, 0, multiCommand},
		{"unwatch", 1, fast | noScript, 0, 0, 0, unwatchCommand},
		{"watch", -2, fast | noScript | noQueue | looksItself, 1, -1, 1, watchCommand},
		// Scripts
		{"eval", -3, noScript, 0, 0, 0, evalCommand},
		{"eval_ro", -3, readOnly | noScript, 0, 0, 0, evalCommand},
		{"evalsha", -3, noScript, 0, 0, 0, evalCommand},
		{"evalsha_ro", -3, readOnly | noScript, 0, 0, 0, evalCommand},
		{"script", -2, noScript, 0, 0, 0, scriptCommand},
		// Publish and subscribe
		{"publish", 3, fast, 0, 0, 0, publishCommand},
		{"pubsub", -2, 0, 0, 0, 0, pubsubCommand},
		{"psubscribe", -2, noScript | subscriberOK, 0, 0, 0, subscribeCommand("psubscribe", (*Server).subscribePattern)},
		{"punsubscribe", -1, noScript | subscriberOK, 0, 0, 0, unsubscribeCommand("punsubscribe", func(c *client) []string { return c.patterns }, (*Server).unsubscribePattern)},
		{"subscribe", -2, noScript | subscriberOK, 0, 0, 0, subscribeCommand("subscribe", (*Server).subscribe)},
		{"unsubscribe", -1, noScript | subscriberOK, 0, 0, 0, unsubscribeCommand("unsubscribe", func(c *client) []string { return c.channels }, (*Server).unsubscribe)},
	}
}
