#!/usr/bin/env -S node --
// The folio command of the client's package, for who uses the API. The package has it in one file with all that it imports.
// The two dashes end the words that Node reads itself: it would take the `--env-file` of a command for its own.
import * as Fs from "node:fs"
import { version } from "../settings/Version.ts"
import { main } from "./Shell.ts"

const words = process.argv.slice(2)
// Where the service's package is installed beside this one, `folio` is that package's, which has the same commands and more.
const ofService = new URL("../service/src/cli/folio.js", import.meta.url)
if (Fs.existsSync(ofService)) await import(ofService.href)
else main(words.length === 0 ? ["--help"] : words, { version, operators: [] })
