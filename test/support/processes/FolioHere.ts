import { ConfigProvider, Effect, Exit } from "effect"
import { TestConsole } from "effect/testing"
import { folio } from "../../../src/cli/operator/Folio.ts"
import { run } from "../../../src/service/Run.ts"
import type { Said } from "./FolioCommand.ts"

/** Like `folioCommand`, but in this process, which has already loaded the modules. */
export const folioHere = Effect.fnUntraced(function* (
  words: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Effect.fn.Return<Said> {
  const exit = yield* Effect.exit(
    Effect.provide(run(folio(words)), ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  )
  const [out, error] = [yield* TestConsole.logLines, yield* TestConsole.errorLines].map((lines) => lines.join("\n"))
  const isJson = words.includes("--json") && out !== ""
  return { code: Exit.isSuccess(exit) ? 0 : 1, out: out!, error: error!, json: isJson ? JSON.parse(out!) : undefined }
}, Effect.provide(TestConsole.layer))
