import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { apiKeyMode, makeApiKey } from "../accounts/rules/ApiKeyFormat.ts"
import { another, damaged, DataDir, keep, random32 } from "../runtime/process/DataFiles.ts"

/**
 * The sandbox account's test key: the file `test-key`. Creates it if missing, on disk before the database stores the
 * key.
 */
export const testKey = Effect.gen(function* () {
  const kept = yield* keep(
    "test-key",
    Effect.map(random32, (bytes) => makeApiKey("test", bytes))
  )
  if (apiKeyMode(kept.content) === "test") return kept
  return yield* damaged(kept.path, kept.content, "an API key for tests, sk_test_…", another)
})

/** Deletes the file `test-key`, because another process has created the sandbox account with another key. */
export const discardTestKey = Effect.map(DataDir, (dataDir) => Fs.rmSync(Path.join(dataDir, "test-key")))
