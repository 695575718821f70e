import { Clock, Effect, Option, Result } from "effect"
import type { Failure } from "../../schemas/FiscalDocument.ts"
import { NationalProfile } from "../documents/NationalProfile.ts"
import { Accounts } from "../accounts/store/Accounts.ts"
import { InvoiceCommands } from "./store/InvoiceCommands.ts"
import { Numbering } from "./store/Numbering.ts"
import { ownSoftware, Softwares } from "../accounts/store/Softwares.ts"
import { Resolutions } from "../accounts/store/Resolutions.ts"
import { documentOf } from "./Signing.ts"
import type { Document } from "./Steps.ts"

const outOfRange: Failure = {
  code: "range_expired",
  message:
    "The numbering range of this document is no longer valid on the day of its signature. Extend the range's valid_to, then retry the document; it keeps its number.",
  retryable: true
}

// How many seconds from now Folio tries codes. A code with the time in seconds differs at the next second. A code
// without a time never changes.
const laterMax = 5

/**
 * Gives a document the date of its signature. If the document waited past midnight, it gets a new date and therefore
 * another code.
 *
 * A document also gets its code here if its country does not make codes with the number, or after a correction. A
 * corrected document never gets a code that the authority has already rejected.
 */
export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { codes } = yield* InvoiceCommands
  const numbering = yield* Numbering
  const resolutions = yield* Resolutions
  const softwares = yield* Softwares
  const { code, issueTime, localDate } = yield* NationalProfile

  const keyOf = Effect.fnUntraced(function* (row: Document) {
    if (row.kind !== "invoice") return ""
    const range = yield* resolutions.find(row, row.resolution_id ?? "")
    return Option.isSome(range) ? range.value.technical_key : yield* Effect.die(`${row.id} has no range`)
  })

  /** The date and the code of a document at a time in Unix milliseconds. */
  const coded = Effect.fnUntraced(function* (row: Document, at: number) {
    const date = { issue_date: localDate(at), issue_time: issueTime(at) }
    const issuer = yield* accounts.issuer(row, row.issuer_version)
    const { cufe: _former, ...document } = documentOf({ ...row, ...date }, issuer)
    const numbered = {
      ...document,
      technical_key: yield* keyOf(row),
      ...(yield* ownSoftware(softwares, row, row.issuer_version))
    }
    return Result.map(code(numbered), (cufe) => ({ date, cufe }))
  })

  /** The code for the current second, or for the next second whose code the authority has not rejected. */
  const codedAnew = Effect.fnUntraced(function* (row: Document) {
    const now = yield* Clock.currentTimeMillis
    const first = yield* coded(row, now)
    const rejected = yield* codes(row)
    let next = first
    for (let later = 1; Result.isSuccess(next) && rejected.includes(next.success.cufe); later += 1) {
      if (later > laterMax) return first
      next = yield* coded(row, now + later * 1000)
    }
    return next
  })

  /**
   * Returns the document with its new date and code; none if another owner was faster. Fails if the document gets
   * no code, or if its range doesn't allow the date.
   */
  const redate = Effect.fnUntraced(function* (row: Document): Effect.fn.Return<Option.Option<Document>, Failure> {
    const found = yield* codedAnew(row)
    if (Result.isFailure(found)) return yield* Effect.fail(found.failure.failure)
    const { cufe, date } = found.success
    const result = yield* numbering.redate({ key: row, version: row.version, ...date, cufe })
    if (result === "out_of_range") return yield* Effect.fail(outOfRange)
    if (result === "too_late") return Option.none()
    const { signed: _signed, ...rest } = row
    return Option.some({ ...rest, ...date, cufe, state: "numbered", version: row.version + 1 })
  })

  /** Today's date in the authority's zone. */
  const today = Effect.map(Clock.currentTimeMillis, localDate)

  return { redate, today }
})
