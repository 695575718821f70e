import * as Fs from "node:fs"
import * as Path from "node:path"
import { openApi } from "../../src/api/OpenApi.ts"
import { writeClientInterface } from "../../src/packages/ClientInterface.ts"
import { openApiText } from "./OpenApiText.ts"
import { revisionOfMessages } from "./Revision.ts"

const inRoot = (path: string) => Path.join(import.meta.dirname, "../..", path)

Fs.writeFileSync(inRoot("schemas/openapi.json"), openApiText(openApi))
writeClientInterface()
// The content of a request is also the content of a message to an actor.
const revision = inRoot("src/runtime/Revision.ts")
const source = Fs.readFileSync(revision, "utf8")
Fs.writeFileSync(revision, source.replace(/"[0-9a-f]{8}"/, JSON.stringify(revisionOfMessages())))
