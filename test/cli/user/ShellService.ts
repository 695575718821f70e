import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as TestApp from "../../support/apps/TestApp.ts"
import { type Receiver, receiver } from "../../support/receiver/Receiver.ts"
import { folio, type Surroundings } from "./Spawned.ts"

export class Hook extends Context.Service<Hook, Receiver>()("test/shell/Hook") {}

/** The directory of the commands, as long as `app` exists. */
export const directory = Path.join(Os.tmpdir(), `folio-shell-${process.pid}`)

const layerDirectory = Layer.effectDiscard(
  Effect.acquireRelease(
    Effect.sync(() => Fs.mkdirSync(directory, { recursive: true })),
    () => Effect.sync(() => Fs.rmSync(directory, { recursive: true, force: true }))
  )
)

export const app = Layer.unwrap(
  Effect.map(receiver, (hook) =>
    Layer.mergeAll(TestApp.layer({ allow: `127.0.0.1:${hook.port}` }), Layer.succeed(Hook, hook), layerDirectory)
  )
)

export const envOf = Effect.map(TestApp.TestApp, ({ apiKey, url }) => ({ FOLIO_URL: url, FOLIO_API_KEY: apiKey }))

export const run = Effect.fnUntraced(function* (words: ReadonlyArray<string>, given: Surroundings = {}) {
  return yield* folio(words, { cwd: directory, ...given, env: { ...(yield* envOf), ...given.env } })
})

export const jsonLines = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** The output of a successful command in a pipe, one object per line. */
export const rows = Effect.fnUntraced(function* (words: ReadonlyArray<string>, given?: Surroundings) {
  const { code, error, out } = yield* run(words, given)
  assert.deepStrictEqual({ code, error }, { code: 0, error: "" }, words.join(" "))
  return jsonLines(out)
})

export const row = (words: ReadonlyArray<string>, given?: Surroundings) =>
  Effect.map(rows(words, given), ([one]) => one)
