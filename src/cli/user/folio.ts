#!/usr/bin/env -S node --
// The `folio` command of the client's package, bundled into one file. `--` ends Node's own options: Node would take a
// command's `--env-file` for itself.
import * as Fs from "node:fs"
import { version } from "../../runtime/Version.ts"
import { main } from "./Shell.ts"

const words = process.argv.slice(2)
// If the service's package is installed next to this one, run its `folio`, which has these commands and more.
const ofService = new URL("../service/src/cli/operator/folio.js", import.meta.url)
if (Fs.existsSync(ofService)) await import(ofService.href)
else main(words.length === 0 ? ["--help"] : words, { version, operators: [] })
