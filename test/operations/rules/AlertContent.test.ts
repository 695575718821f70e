import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Fs from "node:fs"
import { AccountId, IncidentId } from "../../../schemas/Id.ts"
import { IncidentAlert, IncidentKind } from "../../../schemas/Incident.ts"
import { causeOf } from "../../../src/operations/rules/Causes.ts"
import { usedRange } from "../../../src/operations/rules/Findings.ts"
import { alertOf } from "../../../src/operations/rules/AlertContent.ts"

const section = Fs.readFileSync(new URL("../../../src/docs/running/alerts.md", import.meta.url), "utf8")
const body = "01k9z3v8c2m4n6p8q0r2s4t6v8"
const at = new Date("2026-11-21T15:00:00Z")
const account = { account_id: AccountId.make(`ten_${body}`), livemode: true, issuer: "Folio Demo S.A.S." }
const range = { document_type: "invoice", prefix: "FE", left: 100, size: 1_000, valid_to: "2029-12-31", days: 1_136 }
const [cause] = usedRange.find({ ...account, id: `res_${body}`, ...range }).map(causeOf)
const incident = { ...cause!, ...account, id: IncidentId.make(`inc_${body}`), since: at, opened_at: at, ended_at: null }

describe("the page on alerts", () => {
  it("shows an alert as Folio posts it", () => {
    const [, example = ""] = /```json\n([^]*?)\n```/.exec(section) ?? []
    const shown = Schema.decodeSync(Schema.fromJsonString(IncidentAlert))(example)
    assert.deepStrictEqual(shown, alertOf(incident, "opened", "https://folio.example.com"))
  })

  it("lists for every kind when Folio opens it", () => {
    const kinds = [...section.matchAll(/^\| `([a-z_]+)` /gm)].map(([, kind]) => kind)
    assert.deepStrictEqual(
      kinds,
      IncidentKind.literals.filter((kind) => kind !== "test")
    )
  })
})

describe("an incident that has ended", () => {
  it.each([
    [20_000, "1 min"],
    [6 * 60_000, "6 min"],
    [125 * 60_000, "2 h 5 min"],
    [3 * 86_400_000 + 4 * 3_600_000, "3 d 4 h"]
  ])("after %d ms reports how long it was open: %s", (ms, words) => {
    const alert = alertOf({ ...incident, ended_at: new Date(at.getTime() + ms) }, "ended", "https://folio.example.com")
    assert.isTrue(alert.text.startsWith(`[ended] Over after ${words}: Range FE`), alert.text)
    assert.strictEqual(alert.ended_at, new Date(at.getTime() + ms).toISOString())
  })
})
