import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Redacted } from "effect"
import * as EmbeddedPostgres from "../../src/runtime/postgres/EmbeddedPostgres.ts"
import { dataDirectory } from "../support/database/Postgres.ts"
import { runImage } from "../support/deploy/RunImage.ts"

/**
 * Runs all steps of the image in an empty folder, including the installation of its packages, and starts it on a
 * PostgreSQL:
 *
 *   npm run image
 */
const program = Effect.gen(function* () {
  const { database, password, port, username } = yield* EmbeddedPostgres.start({ dataDir: yield* dataDirectory })
  const url = `postgres://${username}:${Redacted.value(password)}@127.0.0.1:${port}/${database}`
  const { before, code, ready, said, user } = yield* runImage(url, true)
  yield* Console.log(said)
  yield* Console.log(`User ${user}. Health check before: ${before}, when ready: ${ready}. Ended with ${code}.`)
  if (ready !== 0 || code !== 0 || before === 0) return yield* Effect.die(new Error("The image does not work"))
}).pipe(Effect.scoped)

NodeRuntime.runMain(program)
