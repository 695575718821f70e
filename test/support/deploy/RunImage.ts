import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { until } from "../apps/Until.ts"
import { freePort } from "../processes/ServiceProcess.ts"
import { buildInFolder } from "./Image.ts"

/**
 * Runs the steps of the image in an empty folder, then its command on the database at `databaseUrl` as the image's user
 * until its health check passes, and stops the service. Returns its observations.
 */
export const runImage = Effect.fnUntraced(function* (databaseUrl: string, install: boolean) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-image-"))),
    (path) =>
      Effect.sync(() => {
        // Folders without the right to write keep their files.
        Fs.rmSync(path, { recursive: true, force: true })
      })
  )
  Fs.chmodSync(folder, 0o755)
  const file = Path.join(import.meta.dirname, "../../../src/cli/operator/templates/Dockerfile")
  const image = buildInFolder(file, folder, install)
  const settings = {
    HOST: "127.0.0.1",
    PORT: String(yield* freePort),
    DATABASE_URL: databaseUrl,
    FOLIO_KEY: randomBytes(32).toString("base64")
  }
  const before = image.check(settings)
  const service = yield* Effect.acquireRelease(
    Effect.sync(() => image.start(settings)),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )
  let said = ""
  service.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
  service.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
  yield* until(
    Effect.sync(() => service.exitCode !== null || said.includes("Folio is ready")),
    (has) => has
  )
  const ready = image.check(settings)
  service.kill("SIGTERM")
  yield* until(
    Effect.sync(() => service.exitCode !== null || service.signalCode !== null),
    (has) => has
  )
  const written = Fs.globSync("**", { cwd: image.root, exclude: (name) => name === "node_modules" || name === "app" })
  return { user: image.user, before, ready, code: service.exitCode, said, written }
}, Effect.scoped)
