import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { until } from "../../support/apps/Until.ts"
import { standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { addresses, identities, plays } from "../../support/authority/StandInTroubles.ts"
import { dataDirectory } from "../../support/database/Postgres.ts"
import { it } from "../../support/Tests.ts"
import { liveService, readCufe } from "./LiveService.ts"

interface Unsent {
  readonly stage: string
  readonly waiting?: { readonly code: string }
}

/** During a retry, a document that never left appears as submitted for a moment. */
const isUnsent = ({ stage, waiting }: Unsent) => stage === "signed" && waiting !== undefined

// Seconds, several of which must pass before the test concludes that nothing happened.
const contingency = { CONTINGENCY_AFTER: "2" }

type Live = Effect.Success<ReturnType<typeof liveService>>

/** Waits three times as long as a document needs to enter contingency, with probes of the authority. */
const longAfter = ({ hurry, service }: Live) =>
  Effect.gen(function* () {
    const began = performance.now()
    yield* until(
      Effect.andThen(hurry, service.rows<{ state: string }>("select distinct state from invoices")),
      () => performance.now() - began > 6_000,
      "180 seconds",
      "200 millis"
    )
  })

/**
 * Kills the service at a moment when no document has left. A document in a call may have left and never enters
 * contingency.
 * The service is suspended during the check.
 */
const killUnsent = ({ service }: Live) =>
  Effect.gen(function* () {
    const active = service.rows<{ pid: number }>(
      "select pid from pg_stat_activity where backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid()"
    )
    const isKilled = Effect.gen(function* () {
      yield* service.signal("SIGSTOP")
      yield* until(active, ({ length }) => length === 0)
      const states = yield* service.rows<{ state: string }>("select distinct state from invoices")
      const areUnsent = states.every(({ state }) => state === "signed")
      yield* service.signal(areUnsent ? "SIGKILL" : "SIGCONT")
      return areUnsent
    })
    yield* until(isKilled, (killed) => killed, "180 seconds", "200 millis")
    yield* service.ended
  })

const accepted = (live: Live, path: string) =>
  until(
    Effect.andThen(live.hurry, live.client.get(path)),
    ({ json }) => json.status === "accepted_by_authority",
    "180 seconds",
    "200 millis"
  )

describe("A long outage of the authority", () => {
  it.live(
    "with refused connections puts unsent documents in contingency (type 04) through kill -9, and sends them once",
    function* () {
      const authority = yield* standInAuthority({ readCufe })
      const live = yield* liveService(authority.url, contingency)
      yield* authority.connections("refused")
      const paths = [yield* live.issue, yield* live.issue]
      yield* live.shown(paths[0]!, ({ waiting }) => waiting?.code === "connection_refused")
      yield* killUnsent(live)
      yield* live.service.start()
      for (const path of paths) {
        const look = Effect.andThen(live.hurry, live.client.get(path))
        yield* until(look, ({ json }) => json.status === "accepted_contingency", "180 seconds", "200 millis")
      }
      const late = yield* live.issue
      assert.isNotNull((yield* live.shown(late, ({ status }) => status === "accepted_contingency")).contingency)
      assert.match((yield* live.folio("doctor")).out, /Folio issues unsent documents in contingency/)
      assert.strictEqual(authority.documents.size, 0)
      yield* authority.connections("taken")
      for (const path of [...paths, late]) {
        const { json } = yield* accepted(live, path)
        const document = authority.documents.get(json.cufe)
        assert.strictEqual(document?.times, 1)
        assert.match(Buffer.from(document?.bytes ?? []).toString(), /InvoiceTypeCode[^>]*>04</)
      }
    }
  )

  it.live("with lost answers puts only later documents in contingency, and sends nothing twice", function* () {
    const authority = yield* standInAuthority({ readCufe })
    const live = yield* liveService(authority.url, contingency)
    authority.answerWith(plays.resetAfterWork)
    const first = yield* live.issue
    yield* live.shown(first, ({ waiting }) => waiting?.code === "no_answer")
    // Folio sends each document until the circuit is open. Later documents never leave.
    const later = yield* until(
      Effect.gen(function* () {
        yield* live.hurry
        const path = yield* live.issue
        return {
          path,
          json: yield* live.shown(path, ({ status, waiting }) => status !== "draft" || waiting !== undefined)
        }
      }),
      ({ json }) => json.status === "accepted_contingency",
      "180 seconds",
      "500 millis"
    )
    assert.deepInclude((yield* live.client.get(first)).json, { status: "draft", stage: "submitted", contingency: null })
    assert.isFalse(authority.documents.has(later.json.cufe))
    const left = yield* live.service.rows<{ count: number }>(
      "select count(*)::int as count from invoices where state = 'accepted_contingency' and submitted_at is not null"
    )
    assert.deepStrictEqual(left, [{ count: 0 }])
    authority.answerWith(() => undefined)
    yield* accepted(live, first)
    yield* accepted(live, later.path)
    for (const { times } of authority.documents.values()) assert.strictEqual(times, 1)
  })

  it.live("with an unknown host name puts nothing in contingency, and appears in health, doctor and log", function* () {
    const live = yield* liveService(addresses.noSuchName, contingency)
    const path = yield* live.issue
    const waiting = yield* live.shown(path, isUnsent)
    assert.deepInclude(waiting, { status: "draft", contingency: null })
    assert.strictEqual(waiting.waiting.code, "name_not_found")
    yield* longAfter(live)
    const later = yield* live.issue
    yield* live.shown(later, ({ waiting: found }) => found?.code === "name_not_found")
    assert.deepInclude(yield* live.shown(path, isUnsent), { status: "draft", contingency: null })
    // If health cannot read the circuit within a second, it omits the authority for five more seconds.
    const { authority } = yield* until(
      live.health,
      (found) => found.authority !== undefined,
      "180 seconds",
      "200 millis"
    )
    assert.deepInclude(authority, { status: "unreachable", trouble: "name_not_found" })
    const doctor = yield* live.folio("doctor")
    assert.match(doctor.out, /AUTHORITY_URL \(no-such-host\.invalid\) is not reachable.*resolv\.conf/)
    assert.match(yield* live.service.log, /"trouble":"name_not_found"/)
  })

  it.live("with a wrong certificate puts nothing in contingency, and all documents leave after the fix", function* () {
    const authority = yield* standInAuthority({ readCufe, tls: identities.trusted })
    const folder = yield* dataDirectory
    const roots = Path.join(folder, "roots.pem")
    Fs.mkdirSync(folder, { recursive: true })
    Fs.writeFileSync(roots, identities.root)
    const live = yield* liveService(authority.url, { ...contingency, NODE_EXTRA_CA_CERTS: roots })
    const before = yield* live.issue
    yield* accepted(live, before)
    for (const name of ["expired", "untrusted", "wrongName"] as const) {
      yield* authority.identify(identities[name])
      const path = yield* live.issue
      const waiting = yield* live.shown(path, (found) => isUnsent(found) && found.waiting?.code === "tls_failed")
      assert.deepInclude(waiting, { status: "draft", contingency: null })
      if (name === "expired") yield* longAfter(live)
      assert.deepInclude(yield* live.shown(path, isUnsent), { status: "draft", contingency: null })
      if (name === "wrongName")
        assert.match((yield* live.folio("doctor")).out, /is not reachable, no secure connection/)
      yield* authority.identify(identities.trusted)
      const { json } = yield* accepted(live, path)
      assert.isNull(json.contingency)
      assert.strictEqual(authority.documents.get(json.cufe)?.times, 1)
    }
  })
})
