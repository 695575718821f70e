import { Effect, Option } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import { documentKinds, kindOf } from "../../../schemas/DocumentKinds.ts"
import { Notify } from "../../accounts/Notify.ts"
import { InvoiceCommands } from "../store/InvoiceCommands.ts"
import { Invoices } from "../store/Invoices.ts"
import { Emails, emailSnapshot } from "../store/Emails.ts"
import { Ids } from "../../database/Ids.ts"
import * as Command from "../../accounts/Command.ts"
import { describe } from "./DocumentCommands.ts"

/** The command that emails a document again. It notifies the document's actor after the commit. */
export const make = Effect.gen(function* () {
  const commands = yield* InvoiceCommands
  const emails = yield* Emails
  const ids = yield* Ids
  const invoices = yield* Invoices
  const notify = yield* Notify

  const SendEmail = Command.alone("SendEmail", {
    run: function* (account, { id, request }) {
      const key = { ...account, id }
      const { noun, path } = documentKinds[kindOf(id)]
      const { state } = yield* Command.found(yield* commands.lock(key), noun, id)
      if (state !== "accepted_by_authority" && state !== "accepted_contingency") {
        return yield* new ApiError({
          code: "invoice_not_correctable",
          message: `Only a document that was accepted, by the authority or in contingency, can be sent to the customer; this ${noun} is ${describe(state)}.`
        })
      }
      const row = yield* invoices.find(account, id)
      const recipient = request.to ?? Option.getOrUndefined(row)?.acquirer.email
      if (recipient === undefined) return yield* noAddress
      const email_id = yield* ids.email
      const email = { ...account, id: email_id, invoice_id: id, document_state: state, recipient }
      const stored = yield* emails.insert(email)
      return {
        answer: Command.accepted(`${path}/${id}/emails`, emailSnapshot(stored)),
        audit: [["email.resent", email_id, { document_id: id }]],
        after: notify.mail(key)
      }
    }
  })

  return { SendEmail }
})

const noAddress = ApiError.fromViolations([
  violation("to", "parameter_missing", "to is required: the document's customer has no email address.", "buyer_email")
])
