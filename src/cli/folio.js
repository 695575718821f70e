#!/usr/bin/env -S node --max-semi-space-size=64
// The folio command: plain JavaScript, so that a Node that is too old is told so before it meets a file it cannot read.
await import("./RequireNode.js")

const [, , ...words] = process.argv
const { launch } = await import("./Launch.ts")
await launch(words.length === 0 ? ["--help"] : words)
