import { Context, Effect, Layer, Option, Result } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"
import { documentKinds, kindOf } from "../domain/DocumentKinds.ts"
import { stageOf, statusOf, transition } from "../domain/InvoiceLifecycle.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import { IdempotencyKeys, type Outcome } from "../store/IdempotencyKeys.ts"
import { InvoiceCommands, type InvoiceName, type Standing } from "../store/InvoiceCommands.ts"
import { FileLinks } from "../store/FileLinks.ts"
import { Invoices } from "../store/Invoices.ts"
import { documentView, Notes } from "../store/Notes.ts"
import { claimOf, optionalClaim } from "./AccountWork.ts"
import { ensureCreditable } from "./NoteWork.ts"
import { Telling } from "./Telling.ts"

/** What an account's actor does to its documents on request. The row decides, under a lock: the actors may be faster. */
export class InvoiceCommandWork extends Context.Service<
  InvoiceCommandWork,
  {
    readonly cancel: (key: InvoiceName, context: RequestContext) => Effect.Effect<Outcome, ApiError>
    /** Tells, after the commit, whoever has to go on with it. */
    readonly retry: (key: InvoiceName, context: RequestContext) => Effect.Effect<Outcome, ApiError>
  }
>()("folio/entities/InvoiceCommandWork") {
  static readonly layer = Layer.effect(
    InvoiceCommandWork,
    Effect.gen(function* () {
      const commands = yield* InvoiceCommands
      const invoices = yield* Invoices
      const links = yield* FileLinks
      const keys = yield* IdempotencyKeys
      const notes = yield* Notes
      const telling = yield* Telling

      const carryOut = Effect.fnUntraced(function* (
        key: InvoiceName,
        command: "Cancel" | "Retry",
        refusal: (standing: Standing) => ApiError | undefined,
        also: Effect.Effect<void, ApiError> = Effect.void
      ) {
        const standing = yield* Effect.mapError(Effect.fromOption(yield* commands.lock(key)), () => missing(key))
        const to = transition(standing.state, command, { hasNumber: standing.has_number, isIssued: standing.is_issued })
        const refused = refusal(standing)
        if (Result.isFailure(to) || refused !== undefined) return yield* refused ?? refuse(key, command, standing)
        yield* also
        yield* commands.move(key, standing, command, to.success)
        const row = yield* Effect.mapError(Effect.fromOption(yield* invoices.find(key, key.id)), () => missing(key))
        return { to: to.success, body: JSON.stringify(documentView(row, (yield* links.inAnswers)(row))) }
      })

      /** When it failed, a credit note gave back what it credits: it must be there still. */
      const creditAgain = Effect.fnUntraced(function* (key: InvoiceName) {
        const note = yield* Effect.mapError(Effect.fromOption(yield* notes.find(key, key.id)), () => missing(key))
        const invoice = yield* notes.lock(key, note.invoice_id)
        if (Option.isSome(invoice) && !note.is_credited)
          yield* ensureCreditable(notes, invoice.value, note.totals.payable_amount)
      })

      const cancel: InvoiceCommandWork["Service"]["cancel"] = Effect.fn("InvoiceCommandWork.cancel")(
        function* (key, context) {
          const work = Effect.map(
            carryOut(key, "Cancel", () => undefined),
            ({ body }) => ({ status: 200, location: null, body })
          )
          return yield* keys.once(key, optionalClaim(context), work)
        }
      )

      const retry: InvoiceCommandWork["Service"]["retry"] = Effect.fn("InvoiceCommandWork.retry")(
        function* (key, context) {
          const claim = yield* claimOf(context)
          let tell: Effect.Effect<void> = Effect.void
          const work = Effect.map(
            carryOut(
              key,
              "Retry",
              (standing) => (standing.failure?.retryable === false ? refuse(key, "Retry", standing) : undefined),
              kindOf(key.id) === "credit_note" ? creditAgain(key) : Effect.void
            ),
            ({ body, to }) => {
              tell = to === "queued" ? telling.numberDrafts(key) : telling.proceed(key)
              return { status: 202, location: `${documentKinds[kindOf(key.id)].path}/${key.id}`, body }
            }
          )
          const outcome = yield* keys.once(key, claim, work)
          yield* tell
          return outcome
        }
      )

      return InvoiceCommandWork.of({ cancel, retry })
    })
  )
}

const nounOf = ({ id }: InvoiceName) => documentKinds[kindOf(id)].noun

const missing = (key: InvoiceName) => ApiError.missing(nounOf(key), key.id)

const refuse = (key: InvoiceName, command: "Cancel" | "Retry", { failure, state }: Standing) => {
  if (command === "Cancel") {
    return new ApiError({
      code: "invoice_not_cancelable",
      message: `Only a draft without a number can be canceled; this ${nounOf(key)} is ${describe(state)}. What was accepted is annulled by a credit note.`
    })
  }
  const why =
    failure?.retryable === false ? `failed for a reason that stays (${failure.code})` : `is ${describe(state)}`
  return new ApiError({
    code: "invoice_not_retryable",
    message: `Only a failed ${nounOf(key)} whose failure is retryable can be retried; this one ${why}.`
  })
}

const describe = (state: Standing["state"]) =>
  statusOf(state) === "draft" ? `a draft at the stage ${stageOf(state)}` : statusOf(state)
