#!/usr/bin/env -S node --max-semi-space-size=64 --no-parallel-scavenge --initial-old-space-size=256 --
// The `folio` command, in plain JavaScript so that an old Node can report its version instead of failing to read
// TypeScript. `--` ends Node's own options: Node would take a command's `--env-file` for itself.
await import("./RequireNode.js")

// With the compile cache, the next command starts in two thirds of the time.
const { enableCompileCache } = await import("node:module")
enableCompileCache()
const [, , ...words] = process.argv
const { launch } = await import("./Launch.ts")
await launch(words.length === 0 ? ["--help"] : words)
