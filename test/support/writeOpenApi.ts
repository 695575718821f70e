import * as Fs from "node:fs"
import * as Path from "node:path"
import { openApi } from "../../src/api/OpenApi.ts"

// Written with a space of two and a line feed at the end, so that a change of the interface shows as what it is.
Fs.writeFileSync(Path.join(import.meta.dirname, "../../openapi.json"), `${JSON.stringify(openApi, null, 2)}\n`)
