/*
 * Packs the output of `npm run build` into the published tarballs in `dist`:
 *
 *   npm run pack
 */
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"

const root = Path.join(import.meta.dirname, "../..")
const dist = Path.join(root, "dist")

Fs.rmSync(dist, { recursive: true, force: true })
Fs.mkdirSync(dist)
for (const name of ["service", "client"]) {
  execFileSync("npm", ["pack", "--silent", "--pack-destination", dist], {
    cwd: Path.join(root, "build", name),
    stdio: "inherit"
  })
}
