// Package recording keeps what the inspector saw in a file, and gives it back: the same snapshots, without any server.
//
// A recording is a file of JSON lines, compressed by gzip where its name ends in .gz. The first line is the [Header]. Each frame
// after it is what a snapshot showed, at most two a second: a change tells only what differs from the frame before, and a key frame,
// which comes every minute or so, tells everything, so that to jump somewhere means to read from the key frame before it. In a
// compressed file each key frame begins a part that can be read by itself. A frame of very many locks goes on in the next lines.
//
// A recording holds what the screen shows, and no values besides: of what was read behind a lock only the type, the size, the time
// and the names of companions are kept. Times are in microseconds since 1970, with the rest beside where a time between two is shown. A text that is not printable is kept as base64, so
// that nothing in the file moves the terminal of whoever looks into it.
//
// A recording may come from anybody: lines are bounded, and so is the memory that a snapshot takes; what does not fit together is an error, and nothing panics. What was written
// before the error is given back all the same. Texts are those of Redis, and escaped by whoever shows them, as always.
package recording
