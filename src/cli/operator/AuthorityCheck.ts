import { Clock, Effect } from "effect"
import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { authorityTroubles } from "../../invoices/rules/AuthorityTroubles.ts"
import { authorityAddresses, probeAuthority } from "../../invoices/authority/AuthorityProbe.ts"
import { type Finding, finding, good, wrong } from "../../runtime/postgres/PostgresInspection.ts"
import { AuthorityCircuits, troubleIn } from "../../invoices/store/AuthorityCircuits.ts"
import * as Inspection from "../../operations/store/Inspection.ts"

/**
 * The doctor's findings on the authority: whether it is reachable now, and the results of recent calls and documents.
 */

const check = "authority"
const clockMaxMs = 60_000
const verdictMaxMs = 3_600_000

const documents = (count: number) => (count === 1 ? "1 document" : `${count} documents`)

const wrongOf = (trouble: AuthorityTrouble, problem: string): Finding => {
  const { meanwhile, remedy, what } = authorityTroubles[trouble]
  return wrong(check, `${problem}: ${what} ${meanwhile}`, remedy)
}

/** For example "3 s ahead of this machine's". */
const differenceOf = (clockMs: number) => {
  const seconds = Math.round(Math.abs(clockMs) / 1000)
  return seconds === 0
    ? "the same as this machine's"
    : `${seconds} s ${clockMs > 0 ? "ahead of" : "behind"} this machine's`
}

// The other address is for test sets only.
const ofTestSets = "Test sets wait, and continue when the authority responds. Live documents are not affected."

const looked = Effect.fnUntraced(function* ({ setting, url }: { readonly setting: string; readonly url: string }) {
  if (!URL.canParse(url))
    return wrong(check, `${setting} is not a URL`, `Set ${setting} to the URL of the authority's service.`)
  const found = yield* probeAuthority(url)
  const { host } = new URL(url)
  if (found.trouble !== null) {
    const problem = `${setting} (${host}) is not reachable, ${found.reason}`
    if (setting === "AUTHORITY_URL") return wrongOf(found.trouble, problem)
    const { remedy, what } = authorityTroubles[found.trouble]
    return wrong(check, `${problem}: ${what} ${ofTestSets}`, remedy.replaceAll("AUTHORITY_URL", setting))
  }
  if (found.clock_ms === null) return good(check, `${setting} (${host}) responds, but does not report its time`)
  const clock = `${setting} (${host}) responds; its clock is ${differenceOf(found.clock_ms)}`
  return Math.abs(found.clock_ms) > clockMaxMs
    ? wrong(check, `${clock}: the authority rejects calls with a wrong time`, authorityTroubles.clock_off.remedy)
    : good(check, clock)
})

/** Checks whether the authority is reachable at the configured URLs; gives no finding without a configured URL. */
export const authorityReached = Effect.flatMap(authorityAddresses, (all) =>
  Effect.forEach(all, looked, { concurrency: "unbounded" })
)

/** Findings on failing calls to the live authority, and on documents that it refused. */
export const authorityFindings = Effect.gen(function* () {
  const { read } = yield* AuthorityCircuits
  const found = troubleIn(yield* read("live"))
  const refused = yield* Inspection.refusals
  const circuit =
    found === null
      ? good(check, "No call to the live authority fails")
      : wrongOf(
          found.trouble,
          `Calls to the live authority have failed since ${found.since.toISOString()} (${found.message.replace(/[.\s]+$/, "")}${found.is_open ? "; Folio issues unsent documents in contingency" : ""})`
        )
  // The circuit's finding covers a trouble of all documents.
  const held = (yield* Inspection.waitingDocuments).filter(({ trouble }) =>
    ["account", "document"].includes(authorityTroubles[trouble].of)
  )
  const now = yield* Clock.currentTimeMillis
  return [
    circuit,
    ...held.map(({ account_id, count, newest, since, trouble }) => {
      const { of, remedy } = authorityTroubles[trouble]
      // The authority may take long for a single document.
      const isEarly = of === "document" && now - since.getTime() < verdictMaxMs
      return finding(
        check,
        isEarly,
        `${account_id}: ${documents(count)} waiting since ${since.toISOString()}. ${newest}`,
        remedy
      )
    }),
    ...refused.map(({ account_id, count, newest }) =>
      wrong(
        check,
        `${account_id}: in the last 7 days, the authority refused ${documents(count)} without an outcome. The newest: ${newest}`,
        "Fix the cause in the message, then retry each document: POST /v1/invoices/{id}/retry."
      )
    )
  ]
}).pipe(Effect.provide(AuthorityCircuits.layer))
