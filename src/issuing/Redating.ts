import { Clock, Context, Effect, Layer, Option } from "effect"
import type { Failure } from "../../schemas/FiscalDocument.ts"
import { issueTime, localDate } from "../domain/documents/AuthorityTime.ts"
import { cufe, documentTail } from "../domain/documents/Cufe.ts"
import { isIssued } from "../domain/documents/InvoiceLifecycle.ts"
import { RegisteredSoftware } from "../documents/ubl/Software.ts"
import { Accounts } from "../store/accounts/Accounts.ts"
import * as Store from "../store/documents/Redating.ts"
import { Resolutions } from "../store/accounts/Resolutions.ts"
import { type Document, Steps } from "./Steps.ts"

const outOfRange: Failure = {
  code: "range_expired",
  message:
    "The numbering range of this document is not valid any more on the day it is signed. Extend the range's valid_to, then retry the document; it keeps its number.",
  retryable: true
}

/** A document bears the date of its signature. If it waited past midnight, it gets a new date, and so another CUFE or CUDE. */
export class Redating extends Context.Service<Redating>()("folio/issuing/Redating", {
  make: Effect.gen(function* () {
    const accounts = yield* Accounts
    const redating = yield* Store.Redating
    const resolutions = yield* Resolutions
    const software = yield* RegisteredSoftware
    const { end } = yield* Steps

    const keyOf = Effect.fnUntraced(function* (row: Document) {
      if (row.kind !== "invoice") return (row.livemode ? software.live : software.test)?.pin
      const range = yield* resolutions.find(row, row.resolution_id ?? "")
      return Option.isSome(range) ? range.value.technical_key : undefined
    })

    /** Whether a document's date is not today's and may still be changed, because the document was not issued. */
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
      if (result === "out_of_range") yield* end(row, outOfRange)
      if (result !== "redated") return Option.none<Document>()
      const { signed: _signed, ...rest } = row
      const next: Document = { ...rest, ...date, cufe: code, state: "numbered", version: row.version + 1 }
      return Option.some(next)
    })

    return { isStale, redate }
  })
}) {
  static readonly layer = Layer.effect(Redating, Redating.make)
}
