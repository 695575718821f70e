import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { IncidentKind } from "../../../schemas/Incident.ts"
import { type Cause, causeOf } from "../../../src/operations/rules/Causes.ts"
import * as Findings from "../../../src/operations/rules/Findings.ts"
import {
  crowdMin,
  holdDownMs,
  judge,
  type Look,
  type OpenIncident
} from "../../../src/operations/rules/IncidentRules.ts"
import { account } from "../../support/apps/Accounts.ts"

const { endingCertificate, inContingency, partsOf, usedRange } = Findings
const lookMs = 60_000
const stages = ["certificate_expiring", "certificate_expiring_soon", "certificate_expired"] as const
const of = { account_id: account, livemode: true, issuer: "Café Andino S.A.S." }

const cause = (kind: IncidentKind, subject: string): Cause => ({
  kind,
  covers: [],
  subject,
  account: null,
  severity: "warning",
  since: null,
  summary: `${kind} of ${subject}`,
  action: "",
  failsDoctor: true,
  details: {}
})

const lookOf = (kinds: ReadonlyArray<IncidentKind>, causes: ReadonlyArray<Cause> | null, isAll = true): Look => ({
  kinds,
  causes,
  isAll
})

const keyOf = ({ kind, subject }: Pick<OpenIncident, "kind" | "subject">) => `${kind} ${subject}`

/** The incidents of a service whose looks find the given causes. */
const keeper = () => {
  const open = new Map<string, Omit<OpenIncident, "gone_ms"> & { gone_since: number | null }>()
  const told: Array<string> = []
  let [now, made] = [0, 0]
  const look = (...looks: ReadonlyArray<Look>) => {
    now += lookMs
    const seen = [...open.values()].map((one) => ({
      ...one,
      gone_ms: one.gone_since === null ? null : now - one.gone_since
    }))
    const verdict = judge(seen, looks)
    for (const { kind, subject, summary } of verdict.put) {
      const known = [...open.values()].find((one) => keyOf(one) === keyOf({ kind, subject }))
      if (known === undefined) told.push(`opened ${keyOf({ kind, subject })}`)
      const id = known?.id ?? String(made++)
      open.set(id, { gone_since: null, ...known, id, kind, subject, summary })
    }
    for (const id of verdict.back) open.get(id)!.gone_since = null
    for (const id of verdict.gone) open.get(id)!.gone_since = now
    for (const id of verdict.end) {
      told.push(`ended ${keyOf(open.get(id)!)}`)
      open.delete(id)
    }
    return verdict
  }
  return { look, told, open: () => [...open.values()].map(keyOf) }
}

describe("The incidents", () => {
  const presence = Schema.Array(Schema.Boolean).check(Schema.isMinLength(1), Schema.isMaxLength(60))

  it.prop(
    "open and end once each for a cause that disappears and returns, and end only after five minutes without it",
    [presence],
    ([found]) => {
      const { look, open, told } = keeper()
      let gone = 0
      for (const isThere of found) {
        const wasOpen = open().length === 1
        look(lookOf(["endpoint_failing"], isThere ? [cause("endpoint_failing", "we_1")] : []))
        // The first look without the cause starts the five minutes.
        gone = isThere ? 0 : gone + 1
        if (isThere) assert.lengthOf(open(), 1)
        else assert.strictEqual(open().length, wasOpen && (gone - 1) * lookMs < holdDownMs ? 1 : 0)
      }
      for (const [index, line] of told.entries())
        assert.strictEqual(line.split(" ")[0], index % 2 === 0 ? "opened" : "ended")
    }
  )

  it.prop("stay unchanged while their source cannot be read, or omits something", [presence], ([found]) => {
    const { look, open } = keeper()
    look(lookOf(["range_filling"], [cause("range_filling", "res_1")]))
    for (const isCut of found) look(lookOf(["range_filling"], isCut ? [] : null, !isCut))
    assert.deepStrictEqual(open(), ["range_filling res_1"])
  })

  const days = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: -40, maximum: 60 }))).check(
    Schema.isMaxLength(40)
  )

  it.prop("keep the lesser kinds of one certificate open, and open only the gravest kind", [days], ([left]) => {
    const { look, open } = keeper()
    for (const one of left.toSorted((a, b) => b - a)) {
      const before = open()
      const found = endingCertificate.find({ ...of, id: "cert_1", not_after: new Date(0), days: one })
      look(lookOf(stages, found.map(causeOf)))
      assert.isTrue(
        before.every((key) => open().includes(key)),
        "none of them ends while the days decrease"
      )
      assert.isAtMost(open().length, before.length + 1)
      const gravest = one < 0 ? stages[2] : one <= 7 ? stages[1] : one <= 30 ? stages[0] : null
      if (gravest !== null) assert.include(open(), `${gravest} cert_1`)
      else assert.isEmpty(open())
    }
  })

  it("merge into one when many open together, next to those that are open already", () => {
    const { look, open, told } = keeper()
    const causes = Array.from({ length: crowdMin + 1 }, (_, index) => cause("endpoint_failing", `we_${index}`))
    look(lookOf(["endpoint_failing"], causes.slice(0, 2)))
    look(lookOf(["endpoint_failing"], causes))
    assert.deepStrictEqual(open(), ["endpoint_failing we_0", "endpoint_failing we_1", "endpoint_failing all"])
    for (let minute = 0; minute < 7; minute++) look(lookOf(["endpoint_failing"], causes.slice(0, 3)))
    assert.deepStrictEqual(told.slice(3), ["opened endpoint_failing we_2", "ended endpoint_failing all"])
  })

  it("change only when their words change", () => {
    const { look } = keeper()
    const one = cause("range_filling", "res_1")
    assert.lengthOf(look(lookOf(["range_filling"], [one, one])).put, 1)
    assert.isEmpty(look(lookOf(["range_filling"], [one])).put)
    assert.lengthOf(look(lookOf(["range_filling"], [{ ...one, summary: "fewer left" }])).put, 1)
  })
})

/** The facts that a sentence names, without the account, which no sentence to the account itself names. */
const namesIn = (parts: ReadonlyArray<string> = []) => parts.filter((part) => /^<(?!of>)/.test(part)).toSorted()

const kindsOf = (causes: ReadonlyArray<Findings.Finding>) => causes.map(({ kind }) => kind)

describe("The causes of incidents", () => {
  const range = {
    ...of,
    id: "res_1",
    document_type: "invoice",
    prefix: "FE",
    size: 100,
    valid_to: "2030-01-01",
    days: 900
  }

  it("include a range at 90 % used, and one without a number", () => {
    assert.deepStrictEqual(kindsOf(usedRange.find({ ...range, left: 11 })), [])
    assert.deepStrictEqual(kindsOf(usedRange.find({ ...range, left: 10 })), ["range_filling"])
    assert.deepStrictEqual(kindsOf(usedRange.find({ ...range, left: 0 })), ["range_exhausted"])
  })

  it("names each fact in words, and in Spanish if an account reads the finding", () => {
    const since = new Date("2026-11-21T15:00:00Z")
    const certificate = { ...of, id: "cert_1", not_after: since }
    const contingency = { count: 2, since, deadline: since, account_ids: [account] }
    const own = [
      ...Findings.failingEndpoint.find({ ...of, id: "we_1", since }),
      ...Findings.fullEndpoint.find({ ...of, id: "we_1", since }),
      ...[20, 5, -1].flatMap((days) => endingCertificate.find({ ...certificate, days })),
      ...[5, 1, 0].flatMap((left) => usedRange.find({ ...range, left })),
      ...[20, -1].flatMap((days) => Findings.endingRange.find({ ...range, left: 100, days })),
      ...[null, 3_600_000, -1].flatMap((left_ms) => inContingency.find({ ...contingency, left_ms })),
      ...inContingency.find({ ...contingency, count: 1, deadline: null, left_ms: null })
    ]
    const operators = [
      ...Findings.unreachableAuthority.find({ since, trouble: "no_route" }),
      ...Findings.failedDocuments.find({ ...of, count: 2, since, ids: ["inv_1"] }),
      ...Findings.heldRange.find({ ...of, id: "res_1", prefix: "FE", since }),
      ...Findings.heldEvents.find({ since })
    ]
    const all = [...own, ...operators]
    assert.deepStrictEqual(new Set(kindsOf(all)), new Set(IncidentKind.literals.filter((kind) => kind !== "test")))
    for (const found of all) assert.notMatch(causeOf(found).summary, /[{}]|undefined|null/)
    for (const found of own) {
      const [en, es] = (["en", "es"] as const).map((language) => partsOf(found, language, (name) => `<${name}>`))
      assert.notDeepEqual(en, es)
      assert.deepStrictEqual(namesIn(es), namesIn(en))
    }
  })

  it("have the severity info in test mode", () => {
    assert.deepStrictEqual(
      usedRange.find({ ...range, left: 0, livemode: false }).map((found) => causeOf(found).severity),
      ["info"]
    )
  })

  it("follow the clock of contingency: entered, twelve hours before its end, and past it", () => {
    const since = new Date("2026-11-21T15:00:00Z")
    const found = { count: 2, since, account_ids: [account] }
    const at = (left_ms: number | null) =>
      inContingency.find({
        ...found,
        left_ms,
        deadline: left_ms === null ? null : new Date(since.getTime() + left_ms)
      })[0]?.kind
    const hour = 3_600_000
    assert.deepStrictEqual(
      [null, 48 * hour, 13 * hour, 12 * hour, 1, -1].map(at),
      [0, 0, 0, 1, 1, 2].map((stage) => ["contingency_entered", "contingency_deadline", "contingency_overdue"][stage])
    )
  })
})
