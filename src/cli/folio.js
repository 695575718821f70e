#!/usr/bin/env -S node --max-semi-space-size=64 --no-parallel-scavenge --initial-old-space-size=256 --
// The folio command: plain JavaScript, so that a Node that is too old is told so before it meets a file it cannot read.
// The two dashes end the options of Node: it would take the `--env-file` of a folio command for its own.
await import("./RequireNode.js")

// Node keeps the compiled modules, so that the next command starts in two thirds of the time.
const { enableCompileCache } = await import("node:module")
enableCompileCache()
const [, , ...words] = process.argv
const { launch } = await import("./Launch.ts")
await launch(words.length === 0 ? ["--help"] : words)
