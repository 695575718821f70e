import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, describe } from "@effect/vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { makeSelfSigned, SandboxCertificate } from "../../../src/documents/signature/Certificate.ts"
import { layerSandboxCertificate } from "../../../src/service/SandboxCertificateFile.ts"
import { layerSecretKey } from "../../../src/service/DatabaseKey.ts"
import * as Postgres from "../../../src/runtime/postgres/Postgres.ts"
import { dataDirectory, freshDatabase, query, quiet, layerSettings } from "../../support/database/Postgres.ts"
import { it } from "../../support/Tests.ts"

const day = 86_400_000

/** Several processes of one database, each with its own data directory. */
const processes = Effect.gen(function* () {
  const [DATABASE_URL, FOLIO_KEY] = [yield* freshDatabase, randomBytes(32).toString("base64")]
  /**
   * The certificate of a process after its start, with this text in its certificate file.
   * `later`: the start is this many days from now.
   */
  const starting = Effect.fnUntraced(function* (file?: string, later = 0) {
    const DATA_DIR = yield* dataDirectory
    if (file !== undefined) Fs.writeFileSync(Path.join(DATA_DIR, "sandbox-certificate.pem"), file)
    const now = Date.now() + later * day
    const clock: Clock.Clock = Object.assign(Object.create(yield* Clock.Clock), {
      currentTimeMillis: Effect.succeed(now),
      currentTimeMillisUnsafe: () => now
    })
    const built = Layer.build(
      layerSandboxCertificate.pipe(
        Layer.provide(layerSecretKey),
        Layer.provide([Postgres.layer, NodeCrypto.layer]),
        Layer.provide(layerSettings({ DATABASE_URL, FOLIO_KEY, DATA_DIR })),
        Layer.provide(quiet),
        Layer.fresh
      )
    )
    return yield* built.pipe(
      Effect.map((context) => Context.get(context, SandboxCertificate).certificate),
      Effect.provideService(Clock.Clock, clock),
      Effect.scoped
    )
  })
  return { DATABASE_URL, starting }
})

const selfSigned = (name: string, age = 0) => makeSelfSigned(name, new Date(Date.now() - age * day))

const holds = (pem: string, certificate: string) => pem.replaceAll(/\s/g, "").includes(certificate)

describe("The certificate of the sandbox", () => {
  it.live("stays the same in processes that start concurrently, and in later ones", function* () {
    const { DATABASE_URL, starting } = yield* processes
    const all = yield* Effect.all([starting(), starting(), starting()], { concurrency: "unbounded" })
    assert.lengthOf(new Set([...all, yield* starting()]), 1)
    const { rows } = yield* query(DATABASE_URL, "select sealed from sandbox_certificate")
    assert.lengthOf(rows, 1)
    assert.notInclude(JSON.stringify(rows), "PRIVATE KEY")
  })

  it.live("comes from the file of an earlier release, and the first file wins", function* () {
    const { starting } = yield* processes
    const [first, second] = [yield* selfSigned("Folio sandbox"), yield* selfSigned("Folio sandbox")]
    const taken = yield* starting(first)
    assert.isTrue(holds(first, taken))
    assert.strictEqual(yield* starting(second), taken)
  })

  it.live("comes from a team's own file if there is one, and then applies to all processes", function* () {
    const { starting } = yield* processes
    const own = yield* selfSigned("Test documents of Café Andino")
    const before = yield* starting()
    const after = yield* starting(own)
    assert.notStrictEqual(after, before)
    assert.isTrue(holds(own, after))
    assert.deepStrictEqual([yield* starting(), yield* starting(own)], [after, after])
  })

  it.live("changes after its expiry, whether the file has expired or not", function* () {
    const { starting } = yield* processes
    const expired = yield* selfSigned("Test documents of Café Andino", 3_700)
    const before = yield* starting()
    assert.strictEqual(yield* starting(expired), before)
    const after = yield* starting(expired, 3_700)
    assert.notStrictEqual(after, before)
    assert.strictEqual(yield* starting(undefined, 3_700), after)
  })
})
