import { Clock, Effect, Option } from "effect"
import type { Failure } from "../../schemas/FiscalDocument.ts"
import { issueTime, localDate } from "../domain/AuthorityTime.ts"
import { cufe, documentTail } from "../domain/Cufe.ts"
import { RegisteredSoftware } from "../documents/Software.ts"
import { Accounts } from "../store/Accounts.ts"
import { isIssued } from "../store/PoisonInvoices.ts"
import { Redating } from "../store/Redating.ts"
import { Resolutions } from "../store/Resolutions.ts"
import type { Document, InvoiceSteps } from "./InvoiceSteps.ts"

const outOfRange: Failure = {
  code: "range_expired",
  message:
    "The numbering range of this document is not valid any more on the day it is signed. Extend the range's valid_to, then retry the document; it keeps its number.",
  retryable: true
}

/** A document says the day on which it was signed. One that waited past midnight gets a new date, and with it another code. */
export const make = Effect.fnUntraced(function* ({ step }: InvoiceSteps) {
  const accounts = yield* Accounts
  const redating = yield* Redating
  const resolutions = yield* Resolutions
  const software = yield* RegisteredSoftware

  const keyOf = Effect.fnUntraced(function* (row: Document) {
    if (row.kind !== "invoice") return (row.livemode ? software.live : software.test)?.pin
    const range = yield* resolutions.find(row, row.resolution_id ?? "")
    return Option.isSome(range) ? range.value.technical_key : undefined
  })

  /** Whether its date is another than today's, and may be changed. */
  const isStale = Effect.fnUntraced(function* (row: Document) {
    return !isIssued(row) && row.issue_date !== localDate(yield* Clock.currentTimeMillis)
  })

  const redate = Effect.fnUntraced(function* (row: Document) {
    const now = yield* Clock.currentTimeMillis
    const key = yield* keyOf(row)
    if (key === undefined) return yield* Effect.die(`nothing to hash the code of ${row.id} with`)
    const issuer = yield* accounts.issuer(row, row.issuer_version)
    const date = { issue_date: localDate(now), issue_time: issueTime(now) }
    const code = cufe(
      row.full_number ?? "",
      documentTail({
        ...date,
        totals: row.totals,
        supplier_nit: issuer.identification.number,
        customer_id: row.acquirer.identification.number,
        key,
        livemode: row.livemode
      })
    )
    const result = yield* redating.redate({ key: row, version: row.version, ...date, cufe: code })
    if (result === "out_of_range") yield* step(row, "Fail", { failure: outOfRange, alarmMs: null })
    if (result !== "redated") return Option.none<Document>()
    const { signed: _signed, ...rest } = row
    const next: Document = { ...rest, ...date, cufe: code, state: "numbered", version: row.version + 1 }
    return Option.some(next)
  })

  return { isStale, redate }
})
