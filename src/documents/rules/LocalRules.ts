import type { Violation } from "../../../schemas/ApiError.ts"
import type { DocumentDetails } from "../../../schemas/DocumentDetails.ts"
import type { InvoiceRequest } from "../../../schemas/Invoice.ts"
import type { Line, Totals } from "../../../schemas/Line.ts"
import type { NoteRequest } from "../../../schemas/Note.ts"
import { type Finding, refusalsOf, violation, warningsOf } from "./AuthorityRules.ts"
import { currencyCodes, peso } from "./Currencies.ts"
import { millionths } from "./Decimal.ts"
import { tooLong } from "./amounts/Amounts.ts"
import { detailsViolations, paymentViolations, settledDetails } from "./amounts/DetailRules.ts"
import { contract, lineViolations, type Operation, settledLine } from "./amounts/LineRules.ts"
import { correctionViolations, type NoteOperation } from "./amounts/NoteRules.ts"
import { taxSumViolations, taxWarnings } from "./amounts/TaxRules.ts"
import { totalsOf } from "./Totals.ts"
import { findingsOf, ifReadable } from "../../runtime/json/Unreadable.ts"
import { violationsMax } from "../../runtime/json/Violations.ts"

/*
 * The authority's rules that Folio can check before it sends a document. A document that breaks one would be rejected
 * after it has used a number. The rules of the parties are in PartyRules.ts, of a single field in AuthorityRules.ts, of
 * lines and other parts in rules/. Each function returns all violations together, in the order of the document. The
 * check of the lines stops after the line whose violations exceed `violationsMax`.
 */

const invoiceFindings = (request: InvoiceRequest, today: string): ReadonlyArray<Finding> => {
  const operation: Operation = {
    get operation_type() {
      return request.operation_type
    },
    isDebitNote: false
  }
  return [
    ...findingsOf<Finding>([
      () => currencyViolations(request),
      () => paymentViolations(request.payment_means, "payment_means", today),
      () => contentViolations(request, operation, today)
    ])
  ]
}

/** The violations of an invoice. `today` is the date in the authority's zone, YYYY-MM-DD. */
export const invoiceViolations = (request: InvoiceRequest, today: string): ReadonlyArray<Violation> =>
  refusalsOf(invoiceFindings(request, today))

/** The warnings of an accepted invoice: inexact figures, and expected notifications of the authority. */
export const invoiceWarnings = (request: InvoiceRequest, today: string): ReadonlyArray<Violation> => [
  ...warningsOf(invoiceFindings(request, today)),
  ...remarksOn(request)
]

const remarksOn = ({ lines, operation_type }: InvoiceRequest): ReadonlyArray<Violation> => [
  ...lines.flatMap((line, index) => taxWarnings(line, `lines[${index}]`)),
  ...(operation_type === contract && lines.every(({ aiu_contract }) => aiu_contract === undefined) ? [noContract] : [])
]

const noContract = violation(
  "lines",
  "parameter_missing",
  "No line names the object of the contract. Send aiu_contract on the line of the administration.",
  "FAV03"
)

/**
 * The findings of a note's content, without the rules of invoices: the authority numbers the rules of notes separately.
 * `operation`: the operation type and currency of the account's invoice that the note corrects.
 */
const noteFindings = (request: NoteRequest, operation: NoteOperation, today: string): ReadonlyArray<Finding> => [
  ...findingsOf<Finding>([() => correctionViolations(request, operation, today)]),
  ...[
    ...findingsOf<Finding>([() => termViolations(request, today), () => contentViolations(request, operation, today)])
  ].map(({ rule: _rule, ...finding }) => finding)
]

/** The violations of a note. `operation`: the operation of the account's invoice that the note corrects. */
export const noteViolations = (request: NoteRequest, operation: NoteOperation, today: string) =>
  refusalsOf(noteFindings(request, operation, today))

/** The warnings of an accepted note. */
export const noteWarnings = (request: NoteRequest, operation: NoteOperation, today: string) =>
  warningsOf(noteFindings(request, operation, today))

/** The violations of a note's own currency and payment, if no invoice of the account gives them. */
const termViolations = (request: NoteRequest, today: string): Iterable<Violation> => {
  if (request.invoice_id !== undefined) {
    return request.exchange_rate === undefined ? [] : rateViolations(request.exchange_rate)
  }
  return findingsOf<Violation>([
    () => (request.currency === undefined ? [] : currencyViolations(request as Terms, "a note")),
    () => (request.payment_means === undefined ? [] : paymentViolations(request.payment_means, "payment_means", today))
  ])
}

/** A value that is computed on its first use, and once. */
const once = <A>(compute: () => A): (() => A) => {
  let computed: { readonly value: A } | undefined
  return () => (computed ??= { value: compute() }).value
}

function* contentViolations(
  request: Pick<InvoiceRequest, "lines"> & DocumentDetails,
  operation: Operation,
  today: string
): Generator<Finding, void> {
  let refusals = 0
  let isRight = true
  const lines = ifReadable(() => request.lines)
  for (const index of (lines ?? []).keys()) {
    if (refusals > violationsMax) return
    for (const finding of findingsOf<Finding>([
      () => lineViolations(request.lines[index]!, `lines[${index}]`, operation)
    ])) {
      isRight = false
      if (finding.isWarning !== true) refusals += 1
      yield finding
    }
  }
  const settled = once(() => (isRight ? request.lines : request.lines.map((line) => settledLine(line, operation))))
  const ofLines = once(() => totalsOf(settled()))
  const whole = once(() => totalsOf(settled(), settledDetails(request, ofLines())))
  yield* findingsOf<Finding>([
    () => contractViolations(request.lines),
    () => taxSumViolations(ofLines()),
    () => detailsViolations(request, { ofLines, whole }, operation, today),
    () => totalViolations(whole())
  ])
}

const digitsMax = 15

const isTooLong = (amount: unknown): amount is string => typeof amount === "string" && amount.indexOf(".") > digitsMax

/** Every sum of a document must fit into the API: of the whole sale, of a part, or of one tax. */
const totalViolations = (totals: Totals): ReadonlyArray<Violation> => {
  const sums = [totals, ...totals.taxes].flatMap((sum): ReadonlyArray<unknown> => Object.values(sum))
  const long = sums.find(isTooLong)
  return long === undefined
    ? []
    : [violation("lines", "parameter_invalid", `The total is ${long}, ${tooLong}`, "amount_digits")]
}

const contractViolations = (lines: ReadonlyArray<Line>): ReadonlyArray<Violation> =>
  lines.flatMap(({ aiu_contract }, index) =>
    aiu_contract === undefined || lines.findIndex((line) => line.aiu_contract !== undefined) === index
      ? []
      : [
          violation(
            `lines[${index}].aiu_contract`,
            "parameter_conflict",
            "Remove aiu_contract from this line: one line, the administration, names the contract.",
            "aiu_contract"
          )
        ]
  )

type Terms = Pick<InvoiceRequest, "currency" | "exchange_rate">

function* currencyViolations(terms: Terms, noun = "an invoice"): Generator<Violation, void> {
  const { currency } = terms
  if (!currencyCodes.has(currency)) {
    const message = `currency must be "${peso}" or another currency of ISO 4217 that is money: the authority knows no "${currency}".`
    return yield violation("currency", "unknown_catalog_code", message, "FAD15a")
  }
  const { exchange_rate } = terms
  if (currency === peso && exchange_rate !== undefined) {
    const message = `Remove exchange_rate: ${noun} in ${peso} has none.`
    yield violation("exchange_rate", "parameter_conflict", message, "exchange_rate")
  } else if (currency !== peso && exchange_rate === undefined) {
    const message = `exchange_rate is required with currency "${currency}": the ${peso} for one ${currency} on the issue date.`
    yield violation("exchange_rate", "parameter_missing", message, "FAR01")
  } else if (exchange_rate !== undefined) yield* rateViolations(exchange_rate)
}

const rateViolations = (exchange_rate: string): ReadonlyArray<Violation> =>
  millionths(exchange_rate) === 0n
    ? [violation("exchange_rate", "parameter_invalid", 'exchange_rate must be more than "0.00".', "FAR01")]
    : []
