// Package script runs Lua scripts as Redis 7.0 does, within limits of time and memory.
// github.com/yuin/gopher-lua is the interpreter; what a script can call is made here.
//
// # Guaranteed
//
//   - A script has the globals and libraries of Redis 7.0.15 and nothing else: no files, no
//     modules, no debug, no output. Missing are struct, cmsgpack, the settings of cjson, and the
//     "#!lua" line. A test compares the lists with a real server's.
//   - Globals, libraries and the metatable of strings are read-only, so that no script leaves
//     anything to the next.
//   - A script ends when [Limits].Time is over, wherever it is: in a loop, a pattern, a comparison
//     of sort, a coroutine, a pcall. [Engine.Interrupt] ends it at once.
//   - A script makes at most [Limits].Memory bytes of strings, counted before they are made, and
//     lets the heap of the process grow by about as much with tables, functions and coroutines,
//     which is measured while it runs.
//   - No script, however it is written, ends the process: text, nesting, recursion and coroutines
//     are bounded.
//
// # Not Redis
//
// What a script has written when it is stopped stays. An array has fewer than 2^18 elements, a
// script 128 KiB of text. Errors of the interpreter itself ("attempt to index a non-table
// object(nil)") have its words; every error has Redis' place and form.
package script
