// Package embedded is the server that the demo runs on where the machine has no Redis: enough of
// Redis 7.0 for every lock scheme, for the clients that use them and for locktop, inside this
// process, on a unix socket or on loopback.
//
// miniredis (github.com/alicebob/miniredis/v2) keeps the values, and package script runs the Lua.
// Everything else is done here, in front of them: connections, MULTI, publish and subscribe,
// deadlines, notifications, CONFIG, CLIENT and INFO. One lock lets one command run at a time, as in
// Redis, so that what a command has changed is known when it ends, also inside Lua and MULTI.
//
// # Guaranteed
//
//   - Keyspace notifications are those of Redis 7.0.15 for the commands of this server, event for
//     event and in order; a test holds both servers against each other. A message that a script
//     publishes keeps its place among them. (A command that fails announces an expired key that it
//     names even where Redis would fail before it looked; "keymiss" is left out where a command
//     both reads and stores sets.)
//   - A deadline is an instant in milliseconds. An expired key is gone for every command that names
//     it, and is announced then; one that nobody touches is removed and announced after
//     [Options].ReapDelay.
//   - A client that stops reading never stops another: a subscriber that leaves 8 MiB unread is
//     dropped, and a client that leaves 1 MiB of answers unread is not read from.
//   - The clock of a server is its own: [Server.Jump] sets it, and deadlines follow.
//   - SCAN returns every key that is there all the time, once, and honours COUNT; each page costs a
//     walk over all keys.
//   - A panic inside a command becomes an error for its client, is counted in INFO
//     (locktop_embedded_panics) and returned by [Server.Close]; the server goes on.
//   - No other user can reach it. [Start] refuses a port without a password, an address that is not
//     loopback, and a socket without a password in a directory that others may enter.
//   - A line of an HTTP request (POST, Host:) ends the connection, so that no web page can have a
//     browser send commands, and before AUTH a request is small: both as in Redis.
//   - A value and a word have 64 MiB at most, and a request 128 MiB; room is made for what has
//     come, and not for what is promised.
//   - A script reaches nothing but this server, and ends when its time or its memory is used up
//     ([Options].Script). Nothing is printed: redis.log writes nowhere.
//   - Close ends a script that runs, wherever it is, and leaves no goroutine, open port or socket
//     behind.
//
// # Not Redis
//
// There is no persistence, replication, cluster, ACL beyond one password, eviction, memory limit,
// CLIENT TRACKING, function, module, stream, bitmap, HyperLogLog or geo index. The command table
// (table.go) is the whole of it. Nobody is answered while a script runs, not even with BUSY;
// package script says what its Lua lacks. The latest 1,000 scripts are kept for EVALSHA, as far as
// 1 MiB of text goes. DUMP and RESTORE know strings only, in a form of their own. MEMORY USAGE and
// OBJECT ENCODING are estimates. It is made for some thousand keys.
package embedded
