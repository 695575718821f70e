import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import type { Failure } from "../../schemas/FiscalDocument.ts"
import { isIssued } from "../domain/documents/InvoiceLifecycle.ts"
import { NationalProfile } from "../documents/NationalProfile.ts"
import { Accounts } from "../store/accounts/Accounts.ts"
import * as Store from "../store/documents/Redating.ts"
import { Resolutions } from "../store/accounts/Resolutions.ts"
import { documentOf } from "./Signing.ts"
import { type Document, Steps } from "./Steps.ts"

const outOfRange: Failure = {
  code: "range_expired",
  message:
    "The numbering range of this document is not valid any more on the day it is signed. Extend the range's valid_to, then retry the document; it keeps its number.",
  retryable: true
}

/**
 * A document bears the date of its signature. If it waited past midnight, it gets a new date, and so another code. A document that was
 * numbered without a code, because its country's codes are not made with the number, gets its code here.
 */
export class Redating extends Context.Service<Redating>()("folio/issuing/Redating", {
  make: Effect.gen(function* () {
    const accounts = yield* Accounts
    const redating = yield* Store.Redating
    const resolutions = yield* Resolutions
    const { code, issueTime, localDate } = yield* NationalProfile
    const { end, unsignable } = yield* Steps

    const keyOf = Effect.fnUntraced(function* (row: Document) {
      if (row.kind !== "invoice") return ""
      const range = yield* resolutions.find(row, row.resolution_id ?? "")
      return Option.isSome(range) ? range.value.technical_key : yield* Effect.die(`${row.id} has no range`)
    })

    /** Whether a document has no code or not today's date, and both may still be set, because the document was not issued. */
    const isStale = Effect.fnUntraced(function* (row: Document) {
      return !isIssued(row) && (row.cufe === null || row.issue_date !== localDate(yield* Clock.currentTimeMillis))
    })

    const redate = Effect.fnUntraced(function* (row: Document) {
      const now = yield* Clock.currentTimeMillis
      const date = { issue_date: localDate(now), issue_time: issueTime(now) }
      const issuer = yield* accounts.issuer(row, row.issuer_version)
      const { cufe: _former, ...document } = documentOf({ ...row, ...date }, issuer)
      const coded = code({ ...document, technical_key: yield* keyOf(row) })
      if (Result.isFailure(coded)) {
        yield* unsignable(row, coded.failure)
        return Option.none<Document>()
      }
      const cufe = coded.success
      const result = yield* redating.redate({ key: row, version: row.version, ...date, cufe })
      if (result === "out_of_range") yield* end(row, outOfRange)
      if (result !== "redated") return Option.none<Document>()
      const { signed: _signed, ...rest } = row
      const next: Document = { ...rest, ...date, cufe, state: "numbered", version: row.version + 1 }
      return Option.some(next)
    })

    return { isStale, redate }
  })
}) {
  static readonly layer = Layer.effect(Redating, Redating.make)
}
