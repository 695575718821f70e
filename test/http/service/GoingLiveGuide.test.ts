import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { keyFile } from "../../support/authority/LiveAccounts.ts"
import { keys, layer as app, startOfTest } from "../../support/apps/MemoryApp.ts"
import { curlIsThere, noteAnswers, tryCommands } from "../../support/PageCommands.ts"
import { itOn } from "../../support/Tests.ts"

const it = itOn(app)

// In memory, because a service with WEBHOOK_ALLOW, as the other guides have it, starts beside no live key.
it.effect.skipIf(!curlIsThere)(
  "the guide of going live says what a live key is answered (curl 7.75 or later)",
  function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-live-"))),
      (one) => Effect.sync(() => Fs.rmSync(one, { recursive: true, force: true }))
    )
    noteAnswers(folder)
    const { password, pkcs12 } = keyFile({ now: startOfTest })
    Fs.writeFileSync(Path.join(folder, "certificate.p12"), Buffer.from(pkcs12, "base64"))
    const settings = {
      FOLIO_URL: HttpServer.formatAddress((yield* HttpServer.HttpServer).address),
      FOLIO_API_KEY: keys.live,
      PASSWORD: password
    }
    const { stdout } = yield* tryCommands(["src/http/docs/guides/going-live.md"], settings, folder)
    assert.include(stdout, '"legal_name":"Tienda S.A.S."')
    assert.include(stdout, '"key_mode":"live"')
    assert.include(stdout, '"valid":true')
  }
)
