// Package report says what is known of locks in forms that leave the program: JSON, and incident reports in Markdown. Both faces use
// it. Whatever comes from Redis is hostile here as well: JSON has no character that moves a terminal, and no key breaks out of the
// place that it has in a Markdown page.
//
// Nothing in here blocks, asks a server or opens a file: a report is made of a snapshot, which is immutable, and who asked for it puts it
// somewhere. What a schema has once had it keeps: changes only add fields.
package report
