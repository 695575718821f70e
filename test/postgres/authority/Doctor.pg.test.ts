import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { dataDirectory, freshDatabase, query } from "../../support/database/Postgres.ts"
import { softwareSettings } from "../../support/authority/LiveAccounts.ts"
import { type StandIn, standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { addresses } from "../../support/authority/StandInTroubles.ts"
import { folioCommand } from "../../support/processes/FolioCommand.ts"
import { folioHere } from "../../support/processes/FolioHere.ts"
import { it } from "../../support/Tests.ts"

interface Check {
  readonly check: string
  readonly ok: boolean
  readonly message: string
  readonly advice?: string
}

/** The doctor's lines about the authority, each with its advice. */
const ofAuthority = ({ json }: { readonly json: { readonly checks: ReadonlyArray<Check> } }) =>
  json.checks
    .filter(({ check }) => check === "authority")
    .map(({ advice, message, ok }) => ({ ok, said: `${message} -> ${advice ?? ""}` }))

const hour = 3_600_000

const looks: ReadonlyArray<{
  readonly what: string
  readonly play: (service: StandIn) => Effect.Effect<void> | void
  readonly says: RegExp
  readonly ok?: boolean
}> = [
  {
    what: "all is well",
    play: () => {},
    says: /responds; its clock is (the same as|\d s \w+( of)?) this machine's/,
    ok: true
  },
  {
    what: "its clock is slightly off",
    play: (service) => service.clockOff(30_000),
    says: /clock is (2\d|30) s ahead of/,
    ok: true
  },
  {
    what: "a clock is off",
    play: (service) => service.clockOff(-hour),
    says: /clock is 36\d\d s behind this machine's.*rejects calls.*-> .*NTP/
  },
  {
    what: "it refuses connections",
    play: (service) => service.connections("refused"),
    says: /AUTHORITY_URL \(127\.0\.0\.1:\d+\) is not reachable, it accepts no connections: .*contingency.*-> .*notice/
  },
  {
    what: "it breaks connections",
    play: (service) => service.connections("reset"),
    says: /did not respond, or closed it.*queries the authority.*-> .*proxy/
  }
]

describe("the doctor", () => {
  it.live.each(looks)("reports the authority as seen from this machine: $what", function* ({ ok = false, play, says }) {
    const service = yield* standInAuthority({ readCufe: () => null })
    const played = play(service)
    if (Effect.isEffect(played)) yield* played
    const env = {
      DATABASE_URL: yield* Effect.orDie(freshDatabase),
      DATA_DIR: yield* dataDirectory,
      AUTHORITY_URL: service.url,
      ...softwareSettings
    }
    const doctor = yield* folioHere(["doctor", "--json"], env)
    const [look, ...told] = ofAuthority(doctor).toReversed()
    assert.match(look?.said ?? "", says)
    assert.strictEqual(look?.ok, ok)
    assert.deepStrictEqual(told, [{ ok: true, said: "No call to the live authority fails -> " }])
    assert.strictEqual(doctor.code, ok ? 0 : 1)
    assert.deepStrictEqual([service.calls, service.refusals], [[], []])
  })

  it.live("reports both addresses before the first start too", function* () {
    const test = yield* standInAuthority({ readCufe: () => null })
    const env = {
      DATA_DIR: yield* dataDirectory,
      ...softwareSettings,
      AUTHORITY_URL: addresses.noSuchName,
      AUTHORITY_TEST_URL: test.url
    }
    const doctor = yield* folioCommand(["doctor", "--json"], env)
    const [live, hab] = ofAuthority(doctor)
    assert.match(
      live?.said ?? "",
      /AUTHORITY_URL \(no-such-host\.invalid\) .*does not find the name.*in the DNS.*none is issued in contingency.*resolv\.conf/
    )
    assert.match(hab?.said ?? "", /AUTHORITY_TEST_URL .* responds/)
    assert.deepStrictEqual([doctor.code, live?.ok, hab?.ok], [1, false, true])
  })

  it.live("reports waiting test sets, but no contingency, when the test environment is down", function* () {
    const test = yield* standInAuthority({ readCufe: () => null })
    yield* test.connections("refused")
    const env = { DATA_DIR: yield* dataDirectory, AUTHORITY_TEST_URL: test.url }
    const [found] = ofAuthority(yield* folioCommand(["doctor", "--json"], env))
    assert.match(found?.said ?? "", /AUTHORITY_TEST_URL .* takes no connections.*Test sets wait/)
    assert.notInclude(found?.said, "contingency")
  })

  it.live("reports the trouble of the service's calls until they succeed or the trouble is old", function* () {
    const url = yield* Effect.orDie(freshDatabase)
    const env = { DATABASE_URL: url, DATA_DIR: yield* dataDirectory }
    const said = Effect.map(folioHere(["doctor", "--json"], env), ofAuthority)
    yield* query(
      url,
      `insert into authority_circuits (name, failing_since, failed_at, trouble, message, trouble_since)
        values ('live', now() - interval '1 hour', now(), 'no_route', 'there is no route to its host (ENETUNREACH)',
          '2026-11-21T15:00:00Z')`
    )
    const [found] = yield* said
    assert.isFalse(found?.ok)
    assert.match(
      found?.said ?? "",
      /failed since 2026-11-21T15:00:00\.000Z \(.*ENETUNREACH\)\): .*no network route.*none is issued in contingency.*-> .*route/
    )
    yield* query(url, "update authority_circuits set failed_at = now() - interval '16 minutes'")
    assert.deepStrictEqual(yield* said, [{ ok: true, said: "No call to the live authority fails -> " }])
    yield* query(url, "update authority_circuits set opened_at = now(), trouble = 'connection_refused'")
    assert.match((yield* said)[0]?.said ?? "", /Folio issues unsent documents in contingency\): /)
    yield* query(
      url,
      "update authority_circuits set failing_since = null, failed_at = null, opened_at = null, trouble = null, trouble_since = null"
    )
    assert.isTrue((yield* said)[0]?.ok)
  })
})
