import { Context, Effect, Layer, Option } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"
import type { EmailRequest } from "../../schemas/Email.ts"
import { documentKinds, kindOf } from "../domain/DocumentKinds.ts"
import { stageOf, statusOf } from "../domain/InvoiceLifecycle.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import { AuditLog } from "../store/AuditLog.ts"
import { Emails, emailSnapshot } from "../store/Emails.ts"
import { IdempotencyKeys, type Outcome } from "../store/IdempotencyKeys.ts"
import { Ids } from "../store/Ids.ts"
import { InvoiceCommands, type InvoiceName } from "../store/InvoiceCommands.ts"
import { Invoices } from "../store/Invoices.ts"
import { claimOf } from "./AccountWork.ts"
import { Telling } from "./Telling.ts"

/** What an account's actor does when a document is to be e-mailed once more; the document's actor is told after the commit. */
export class EmailCommandWork extends Context.Service<
  EmailCommandWork,
  {
    readonly send: (
      key: InvoiceName,
      context: RequestContext,
      request: EmailRequest
    ) => Effect.Effect<Outcome, ApiError>
  }
>()("folio/entities/EmailCommandWork") {
  static readonly layer = Layer.effect(
    EmailCommandWork,
    Effect.gen(function* () {
      const audit = yield* AuditLog
      const commands = yield* InvoiceCommands
      const emails = yield* Emails
      const ids = yield* Ids
      const invoices = yield* Invoices
      const keys = yield* IdempotencyKeys
      const telling = yield* Telling

      const send: EmailCommandWork["Service"]["send"] = Effect.fn("EmailCommandWork.send")(
        function* (key, context, request) {
          const { noun, path } = documentKinds[kindOf(key.id)]
          const claim = yield* claimOf(context)
          const missing = () => ApiError.missing(noun, key.id)
          const make = Effect.gen(function* () {
            const { state } = yield* Effect.mapError(Effect.fromOption(yield* commands.lock(key)), missing)
            if (state !== "accepted_by_authority" && state !== "accepted_contingency") {
              const status = statusOf(state)
              return yield* new ApiError({
                code: "invoice_not_correctable",
                message: `Only what was accepted, by the authority or in contingency, is sent to the customer; this ${noun} is ${status === "draft" ? `a draft at the stage ${stageOf(state)}` : status}.`
              })
            }
            const row = yield* invoices.find(key, key.id)
            const recipient = request.to ?? Option.getOrUndefined(row)?.acquirer.email
            if (recipient === undefined) return yield* noAddress
            const of = { account_id: key.account_id, livemode: key.livemode }
            const id = yield* ids.email
            const email = yield* emails.insert({ ...of, id, invoice_id: key.id, document_state: state, recipient })
            yield* audit.record(of, context, "email.resent", id, { document_id: key.id })
            return {
              status: 202,
              location: `${path}/${key.id}/emails`,
              body: JSON.stringify(emailSnapshot(email))
            }
          })
          const outcome = yield* keys.once(key, claim, make)
          if (!outcome.replayed) yield* telling.mail(key)
          return outcome
        }
      )

      return EmailCommandWork.of({ send })
    })
  )
}

const noAddress = ApiError.fromViolations([
  { param: "to", code: "parameter_missing", message: "to is required: the document's customer has no e-mail address." }
])
