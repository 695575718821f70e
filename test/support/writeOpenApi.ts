import * as Fs from "node:fs"
import * as Path from "node:path"
import { openApi } from "../../src/api/OpenApi.ts"
import { clientInterface, type Document } from "./ClientInterface.ts"

const root = Path.join(import.meta.dirname, "../..")

// Written with a space of two and a line feed at the end, so that a change of the interface shows as what it is.
const text = `${JSON.stringify(openApi, null, 2)}\n`
Fs.writeFileSync(Path.join(root, "openapi.json"), text)
Fs.writeFileSync(Path.join(root, "src/client/Interface.ts"), await clientInterface(JSON.parse(text) as Document))
