import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { Api } from "../../Api.ts"
import { creditNotes, type Document, idOf, type Kind } from "../../documents/Kinds.ts"
import { documentLines } from "../../documents/Shown.ts"
import { tellOutcome } from "../../documents/Outcome.ts"
import { textOf } from "../../Files.ts"
import * as Flags from "../../Flags.ts"
import { Output } from "../../Output.ts"
import { wait } from "./Create.ts"
import { document, sample } from "./Read.ts"
import { shown } from "../../Table.ts"

export const retry = (kind: Kind) =>
  Command.make(
    "retry",
    { document: document(kind), key: Flags.idempotencyKey, wait },
    Effect.fnUntraced(function* (flags) {
      const retried = yield* kind.retry(yield* idOf(kind, flags.document), { key: flags.key })
      if (flags.wait) return yield* tellOutcome(kind, retried.id)
      yield* (yield* Output).one(retried, documentLines(retried))
    })
  ).pipe(
    Command.withDescription("Submit one that failed again, once the cause is repaired; it keeps its number"),
    Command.withExamples([{ command: `folio ${kind.command} retry ${sample(kind)} --wait` }])
  )

export const correct = (kind: Kind) =>
  Command.make(
    "correct",
    { document: document(kind), file: Flags.file(`The whole ${kind.one}, corrected`), key: Flags.idempotencyKey, wait },
    Effect.fnUntraced(function* (flags) {
      const api = yield* Api
      const id = yield* idOf(kind, flags.document)
      const body = yield* textOf(flags.file)
      const path = `${kind.path}/${encodeURIComponent(id)}/correct`
      const corrected = yield* api.json<Document>({ method: "POST", path, body, key: flags.key })
      if (flags.wait) return yield* tellOutcome(kind, corrected.id)
      yield* (yield* Output).one(corrected, documentLines(corrected))
    })
  ).pipe(
    Command.withDescription("Correct one that the authority rejected; it keeps its number"),
    Command.withExamples([{ command: `folio ${kind.command} correct ${sample(kind)} -f corrected.json --wait` }])
  )

export const cancel = (kind: Kind) =>
  Command.make(
    "cancel",
    { document: document(kind), key: Flags.idempotencyKey },
    Effect.fnUntraced(function* (flags) {
      const canceled = yield* kind.cancel(yield* idOf(kind, flags.document), { key: flags.key })
      yield* (yield* Output).one(canceled, documentLines(canceled))
    })
  ).pipe(
    Command.withDescription("Cancel a draft that has no number yet"),
    Command.withExamples([{ command: `folio ${kind.command} cancel ${kind.idPrefix}…` }])
  )

export const email = (kind: Kind) =>
  Command.make(
    "email",
    {
      document: document(kind),
      to: Flags.text("to", "ADDRESS", "Another address than the customer's"),
      key: Flags.idempotencyKey
    },
    Effect.fnUntraced(function* ({ document: text, key, to }) {
      const sent = yield* kind.email(yield* idOf(kind, text), to === undefined ? {} : { to }, { key })
      yield* (yield* Output).one(sent, () => [`The e-mail ${sent.id} to ${shown(sent.to)} is ${sent.status}.`])
    })
  ).pipe(
    Command.withDescription("E-mail it again, to the customer or to another address"),
    Command.withExamples([{ command: `folio ${kind.command} email ${sample(kind)} --to archive@example.com` }])
  )

export const annul = (kind: Kind) =>
  Command.make(
    "annul",
    {
      document: document(kind),
      reason: Flag.String("reason").pipe(
        Flag.withMetavar("TEXT"),
        Flag.withDescription("Why, in words that the credit note carries")
      ),
      key: Flags.idempotencyKey,
      wait
    },
    Effect.fnUntraced(function* ({ document: text, key, reason, ...flags }) {
      const api = yield* Api
      const id = yield* idOf(kind, text)
      const note = yield* api.call("invoices", "annulInvoice", { params: { id }, payload: { reason } }, { key })
      if (flags.wait) return yield* tellOutcome(creditNotes, note.id)
      yield* (yield* Output).one(note, ({ bold, dim }) => [
        `The credit note ${bold(note.id)} over all lines is a draft now.`,
        dim(`Its outcome: folio credit-notes get ${note.id}`)
      ])
    })
  ).pipe(
    Command.withDescription("Annul an accepted invoice by a credit note over all its lines"),
    Command.withExamples([{ command: "folio invoices annul FE12 --reason 'Pedido cancelado'" }])
  )
