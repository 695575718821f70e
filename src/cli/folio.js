#!/usr/bin/env -S node --max-semi-space-size=64
// The folio command: plain JavaScript, so that a Node that is too old is told so before it meets a file it cannot read.
await import("./RequireNode.js")

if (process.argv.length === 2) process.argv.push("--help")
await import("../main.ts")
