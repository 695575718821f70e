/*
 * Compiles the packages of the service and of the client into `build`:
 *
 *   npm run build
 */
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { writeClientInterface } from "./ClientInterface.ts"
import { clientManifest, legacyFolders, type Manifest, serviceManifest } from "./Manifest.ts"
import { commitOf } from "../runtime/Version.ts"
import { packCommand } from "./PackCommand.ts"

const root = Path.join(import.meta.dirname, "../..")
const build = Path.join(root, "build")
const read = (file: string): Manifest => JSON.parse(Fs.readFileSync(Path.join(root, file), "utf8"))

/** Copies files that no module imports, but that modules read or people open. */
const copy = (what: string, to: string) => {
  for (const file of Fs.globSync(what, {
    cwd: root,
    exclude: ["**/__pycache__/**", "src/cli/operator/templates/*.ts"]
  })) {
    const from = Path.join(root, file)
    if (Fs.statSync(from).isFile()) Fs.cpSync(from, Path.join(build, to, file))
  }
}

const write = (file: string, content: object) => {
  const path = Path.join(build, file)
  Fs.mkdirSync(Path.dirname(path), { recursive: true })
  Fs.writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`)
}

Fs.rmSync(build, { recursive: true, force: true })
writeClientInterface()
for (const project of ["tsconfig.json", "tsconfig.client.json", "tsconfig.commonjs.json"]) {
  execFileSync("tsc", ["-p", Path.join(import.meta.dirname, project)], { cwd: root, stdio: "inherit" })
}
copy(
  "{LICENSE,README.md,CHANGELOG.md,migrations/**/*.sql,src/docs/**/*.md,src/http/pages/*.{css,js,svg},src/portal/frame/*.{css,js},src/cli/operator/templates/*,test/examples/*.ts}",
  "service"
)
copy("{LICENSE,src/clients/{php,python}/**/*}", "client")

const commit = commitOf(root)
await packCommand(Path.join(build, "client"), commit)

const service = read("package.json")
const client = read("src/clients/typescript/package.json")
write("service/package.json", serviceManifest(service, commit))
write("client/package.json", clientManifest(client, service.version ?? ""))
for (const [folder, content] of legacyFolders(client)) write(`client/${folder}/package.json`, content)
// In the folder of this file, `.js` is a module for `require`.
write("client/commonjs/package.json", { type: "commonjs" })
