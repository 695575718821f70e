import { Clock, Data, Effect } from "effect"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { fullNumber } from "../../documents/rules/FullNumber.ts"
import { nextNumber, type DocumentToMake } from "../rules/Plan.ts"
import { notePrefixes, testDocument } from "../rules/TestDocument.ts"
import { Enablements, type StoredEnablement } from "../store/Enablements.ts"
import type { StoredTestDocument } from "../store/TestDocuments.ts"
import type { TestIssuer } from "./LiveReadiness.ts"

/** The error of a test range without numbers left. */
export class NoNumberLeft extends Data.TaggedError("NoNumberLeft")<{ readonly prefix: string }> {}

/** Makes the documents of test sets: sales of the issuer in the authority's test environment, without a real buyer. */
export const make = Effect.gen(function* () {
  const { documents } = yield* Enablements
  const { code, issueTime, localDate, numbering, sign } = yield* NationalProfile

  /**
   * Makes and signs a document, and stores it with its number. `accepted`: the invoices that a note may correct, at
   * least one.
   */
  return Effect.fn("TestDocumentMaking.make")(function* (
    set: StoredEnablement,
    { certificate, issuer, software }: TestIssuer,
    { kind, place }: DocumentToMake,
    accepted: ReadonlyArray<StoredTestDocument>
  ) {
    const { account_id, range, run } = set
    const isInvoice = kind === "invoice"
    const prefix = isInvoice ? range.prefix : notePrefixes[kind]
    const number = nextNumber(yield* documents.taken(account_id, prefix), isInvoice ? range.from_number : 1)
    if (isInvoice && number > range.to_number) return yield* new NoNumberLeft({ prefix })
    const now = yield* Clock.currentTimeMillis
    const { technical_key, ...granted } = range
    const full_number = fullNumber(prefix, BigInt(number), numbering)
    const corrected = isInvoice ? undefined : accepted[(place - 1) % accepted.length]
    const content = {
      ...testDocument(kind, issuer, corrected ?? null),
      prefix,
      full_number,
      issue_date: localDate(now),
      issue_time: issueTime(now),
      range: isInvoice
        ? { ...granted, from_number: String(granted.from_number), to_number: String(granted.to_number) }
        : null
    }
    const numbered = { ...content, technical_key: isInvoice ? technical_key : "", software }
    const cufe = yield* Effect.fromResult(code(numbered))
    const signed = yield* sign({ ...content, cufe }, certificate, software)
    return yield* documents.insert(set, {
      prefix,
      number: BigInt(number),
      full_number,
      kind,
      place,
      run,
      cufe,
      issue_date: content.issue_date,
      issuer_nit: issuer.identification.number,
      signed
    })
  })
})
