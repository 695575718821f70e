import { Clock, Context, Effect, Layer, Option } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import type { ErrorCode } from "../../schemas/ErrorCode.ts"
import type { AnnulRequest, NoteRequest } from "../../schemas/Note.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import { cents, decimal } from "../domain/Decimal.ts"
import { documentKinds, type NoteKind } from "../domain/DocumentKinds.ts"
import { statusOf } from "../domain/InvoiceLifecycle.ts"
import { noteViolations } from "../domain/LocalRules.ts"
import { totalsOf } from "../domain/Totals.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import { Fault } from "../protocol/Fault.ts"
import { IdempotencyKeys, type Outcome } from "../store/IdempotencyKeys.ts"
import { Ids } from "../store/Ids.ts"
import { type Corrected, Notes } from "../store/Notes.ts"
import { Resolutions } from "../store/Resolutions.ts"
import { claimOf, type NewDraft } from "./AccountWork.ts"

interface Made {
  readonly outcome: Outcome
  readonly draft: Option.Option<NewDraft>
}

/**
 * What an account's actor does to correct an invoice. The invoice's row decides, under a lock: however many owners the account
 * has, its credit notes never come to more than it does. Debit notes do not add to what may be credited: each corrects the
 * invoice alone, and is itself corrected by nothing.
 */
export class NoteWork extends Context.Service<
  NoteWork,
  {
    readonly create: (
      of: AccountMode,
      context: RequestContext,
      kind: NoteKind,
      request: NoteRequest
    ) => Effect.Effect<Made, ApiError>
    /** A credit note over all lines of an invoice of which nothing has been credited. */
    readonly annul: (
      of: AccountMode,
      context: RequestContext,
      invoice_id: string,
      request: AnnulRequest
    ) => Effect.Effect<Made, ApiError>
  }
>()("folio/entities/NoteWork") {
  static readonly layer = Layer.effect(
    NoteWork,
    Effect.gen(function* () {
      const ids = yield* Ids
      const keys = yield* IdempotencyKeys
      const notes = yield* Notes
      const resolutions = yield* Resolutions

      /** Carries out what `requestOf` makes of the locked invoice. */
      const make = Effect.fnUntraced(function* (
        of: AccountMode,
        context: RequestContext,
        kind: NoteKind,
        invoice_id: string,
        params: Params,
        requestOf: (invoice: Corrected) => Effect.Effect<NoteRequest, ApiError>
      ) {
        const claim = yield* claimOf(context)
        let draft = Option.none<NewDraft>()
        const note = Effect.gen(function* () {
          const invoice = yield* Effect.mapError(Effect.fromOption(yield* notes.lock(of, invoice_id)), () =>
            ApiError.missing("invoice", invoice_id, params.invoice)
          )
          const request = yield* requestOf(invoice)
          const totals = totalsOf(request.lines)
          if (kind === "credit_note") yield* ensureCreditable(notes, invoice, totals.payable_amount, params)
          else yield* ensureCorrectable(invoice, params)
          yield* resolutions.ensureCounter({ ...of, id: yield* ids.resolution }, kind)
          const id = yield* kind === "credit_note" ? ids.creditNote : ids.debitNote
          const created_at = new Date(yield* Clock.currentTimeMillis)
          yield* notes.insert({ id, kind, invoice, request, totals, created_at })
          draft = Option.some({ id, kind, prefix: null, totals, acquirer_number: invoice.acquirer_number })
          const body = {
            id,
            object: kind,
            status: "draft",
            full_number: "",
            cude: null,
            created_at: timestamp(created_at.getTime())
          }
          const document_bytes = JSON.stringify(request.lines).length
          const location = `${documentKinds[kind].path}/${id}`
          return { status: 202, location, body: JSON.stringify(body), document_bytes }
        })
        yield* Fault.at("before-create")
        const outcome = yield* keys.once(of, claim, note)
        yield* Fault.at("after-create")
        return { outcome, draft }
      })

      const create: NoteWork["Service"]["create"] = Effect.fn("NoteWork.create")((of, context, kind, request) =>
        make(of, context, kind, request.invoice_id, ofRequest, (invoice) => {
          const [first, ...rest] = noteViolations(request.lines, invoice.operation_type)
          return first === undefined ? Effect.succeed(request) : Effect.fail(ApiError.fromViolations([first, ...rest]))
        })
      )

      const annul: NoteWork["Service"]["annul"] = Effect.fn("NoteWork.annul")((of, context, invoice_id, { reason }) =>
        make(of, context, "credit_note", invoice_id, {}, (invoice) =>
          Effect.gen(function* () {
            yield* ensureCorrectable(invoice, {})
            const { amount, count } = yield* notes.credited(of, invoice_id)
            if (count > 0) return yield* exceeds(cents(invoice.totals.payable_amount) - cents(amount))
            const lines = yield* notes.lines(of, invoice_id)
            return { invoice_id, correction_code: annulment, reason, lines }
          })
        )
      )

      return NoteWork.of({ create, annul })
    })
  )
}

const ofRequest: Params = { invoice: "invoice_id", amount: "lines" }

// Of the catalog concepto-nota-credito.
const annulment = "2"

/** Which fields of a note's request name its invoice and what it credits: a command without a body has none. */
interface Params {
  readonly invoice?: string
  readonly amount?: string
}

const refuse = (code: ErrorCode, message: string, param: string | undefined) =>
  new ApiError({ code, message, ...(param === undefined ? {} : { param }) })

const ensureCorrectable = (invoice: Corrected, { invoice: param }: Params) => {
  const status = statusOf(invoice.state)
  if (status === "accepted_by_authority" || status === "accepted_contingency") return Effect.void
  const message = `Only an invoice that was accepted can be corrected; this one is ${status}.`
  return Effect.fail(refuse("invoice_not_correctable", message, param))
}

const exceeds = (left: bigint, param?: string) =>
  refuse(
    "credit_exceeds_invoice",
    `The invoice has ${decimal(left)} left to credit. Credit notes that failed, were canceled or rejected do not count.`,
    param
  )

/** Fails unless a locked invoice is one to be corrected and has as much left to credit. */
export const ensureCreditable = Effect.fnUntraced(function* (
  notes: Notes["Service"],
  invoice: Corrected,
  payable_amount: string,
  params: Params = {}
) {
  yield* ensureCorrectable(invoice, params)
  const { amount } = yield* notes.credited(invoice, invoice.id)
  const left = cents(invoice.totals.payable_amount) - cents(amount)
  if (cents(payable_amount) > left) return yield* exceeds(left, params.amount)
})
