import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { readSecretFiles, secretSettings } from "../../../src/service/Run.ts"
import { it } from "../../support/Tests.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-secrets-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
)

describe("A secret in a file", () => {
  it.live("appears in the table of settings", function* () {
    const path = Path.resolve(import.meta.dirname, "../../../src/docs/operating.md")
    const page = yield* Effect.sync(() => Fs.readFileSync(path, "utf8"))
    const [row = ""] = /^\| `…_FILE`.*$/m.exec(page) ?? []
    assert.deepStrictEqual(
      [...row.matchAll(/`([A-Z_]+)_FILE`/g)].map(([, name]) => name),
      [...secretSettings]
    )
  })

  it.live("becomes its setting, without the final line break", function* () {
    const path = Path.join(yield* folder, "key")
    Fs.writeFileSync(path, "c2VjcmV0\n")
    const environment: NodeJS.ProcessEnv = { FOLIO_KEY_FILE: path, PORT: "3000" }
    yield* readSecretFiles(environment)
    assert.deepStrictEqual(environment, { FOLIO_KEY: "c2VjcmV0", PORT: "3000" })
  })

  it.live("fails with one line if the file is missing or empty, or if the setting is given twice", function* () {
    const empty = Path.join(yield* folder, "empty")
    Fs.writeFileSync(empty, "\n")
    const cases = [
      [{ FOLIO_KEY_FILE: "/nowhere" }, /^FOLIO_KEY_FILE cannot be read \(.*\)\. Name a file/],
      [{ SMTP_URL_FILE: empty }, /^The file .*empty of SMTP_URL_FILE is empty/],
      [{ DATABASE_URL: "a", DATABASE_URL_FILE: empty }, /^Set DATABASE_URL or DATABASE_URL_FILE, and not both\.$/]
    ] as const
    for (const [environment, message] of cases) {
      assert.match((yield* Effect.flip(readSecretFiles({ ...environment }))).message, message)
    }
  })
})
