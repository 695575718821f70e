import { Clock, Effect } from "effect"
import type { AuthorityTrouble } from "../../schemas/AuthorityTrouble.ts"
import { authorityTroubles } from "../domain/authority/AuthorityTroubles.ts"
import { authorityAddresses, probeAuthority } from "../outbound/authority/AuthorityProbe.ts"
import { type Finding, finding, good, wrong } from "../platform/postgres/PostgresInspection.ts"
import { AuthorityCircuits, troubleIn } from "../store/documents/AuthorityCircuits.ts"
import * as Inspection from "../store/sql/Inspection.ts"

/* What the doctor says of the authority: whether it can be called from here now, and what it said of calls and of documents. */

const check = "authority"
const clockMaxMs = 60_000
const verdictMaxMs = 3_600_000

const documents = (count: number) => (count === 1 ? "1 document" : `${count} documents`)

const wrongOf = (trouble: AuthorityTrouble, told: string): Finding => {
  const { meanwhile, remedy, what } = authorityTroubles[trouble]
  return wrong(check, `${told}: ${what} ${meanwhile}`, remedy)
}

/** "3 s ahead of this machine's" */
const differenceOf = (clockMs: number) => {
  const seconds = Math.round(Math.abs(clockMs) / 1000)
  return seconds === 0
    ? "the same as this machine's"
    : `${seconds} s ${clockMs > 0 ? "ahead of" : "behind"} this machine's`
}

// What is at the other address concerns no document that counts.
const ofTestSets = "Test sets wait and go on by themselves once it answers; live documents are not concerned."

const looked = Effect.fnUntraced(function* ({ setting, url }: { readonly setting: string; readonly url: string }) {
  if (!URL.canParse(url)) return wrong(check, `${setting} is no URL`, `Set ${setting} to the address of the service.`)
  const found = yield* probeAuthority(url)
  const { host } = new URL(url)
  if (found.trouble !== null) {
    const told = `${setting} (${host}) cannot be called, ${found.reason}`
    if (setting === "AUTHORITY_URL") return wrongOf(found.trouble, told)
    const { remedy, what } = authorityTroubles[found.trouble]
    return wrong(check, `${told}: ${what} ${ofTestSets}`, remedy.replaceAll("AUTHORITY_URL", setting))
  }
  if (found.clock_ms === null) return good(check, `${setting} (${host}) answers; it does not tell its time`)
  const clock = `${setting} (${host}) answers; its clock is ${differenceOf(found.clock_ms)}`
  return Math.abs(found.clock_ms) > clockMaxMs
    ? wrong(check, `${clock}: it refuses calls whose time is wrong`, authorityTroubles.clock_off.remedy)
    : good(check, clock)
})

/** Whether the authority can be called at the addresses of the settings; nothing without one. */
export const authorityReached = Effect.flatMap(authorityAddresses, (all) =>
  Effect.forEach(all, looked, { concurrency: "unbounded" })
)

/** What calls of the live authority came to, and which documents it refused to judge. */
export const authorityTold = Effect.gen(function* () {
  const { read } = yield* AuthorityCircuits
  const found = troubleIn(yield* read("live"))
  const refused = yield* Inspection.refusals
  const circuit =
    found === null
      ? good(check, "No call of the live authority fails")
      : wrongOf(
          found.trouble,
          `Calls of the live authority are in trouble since ${found.since.toISOString()} (${found.message.replace(/[.\s]+$/, "")}${found.is_open ? "; documents that never left are issued in contingency" : ""})`
        )
  // What all documents meet is told of the circuit.
  const held = (yield* Inspection.waitingDocuments).filter(({ trouble }) =>
    ["account", "document"].includes(authorityTroubles[trouble].of)
  )
  const now = yield* Clock.currentTimeMillis
  return [
    circuit,
    ...held.map(({ account_id, count, newest, since, trouble }) => {
      const { of, remedy } = authorityTroubles[trouble]
      // The authority takes its time over single documents.
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
        `${account_id}: the authority refused ${documents(count)} of the last 7 days without judging them. The newest: ${newest}`,
        "Put right what the message names, then retry each document: POST /v1/invoices/{id}/retry."
      )
    )
  ]
}).pipe(Effect.provide(AuthorityCircuits.layer))
