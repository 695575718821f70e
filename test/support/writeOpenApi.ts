import * as Fs from "node:fs"
import * as Path from "node:path"
import { openApi } from "../../src/api/OpenApi.ts"
import { writeClientInterface } from "../../src/packages/ClientInterface.ts"
import { openApiText } from "./OpenApiText.ts"

Fs.writeFileSync(Path.join(import.meta.dirname, "../../openapi.json"), openApiText(openApi))
writeClientInterface()
