import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import type { EmailSnapshot } from "../../../../clients/typescript/Interface.ts"
import { Api } from "../../ApiRequests.ts"
import { creditNotes, type Document, idOf, type Kind, pathOf } from "../../documents/Kinds.ts"
import { documentLines } from "../../documents/ShownDocument.ts"
import { printOutcome } from "../../documents/Outcome.ts"
import { textOf } from "../../FileOutput.ts"
import * as Flags from "../../Flags.ts"
import { Output } from "../../Output.ts"
import { document } from "./Read.ts"
import { shown } from "../../Table.ts"

interface Given {
  readonly document: string
  readonly key: string | undefined
  /** The file with the request body. */
  readonly file?: string
  readonly wait?: boolean
}

/** Runs an operation on a document and prints the document. With `wait`, prints it when it has an outcome. */
const change = Effect.fnUntraced(function* (
  kind: Kind,
  operation: "retry" | "correct" | "cancel",
  { document: text, file, key, wait = false }: Given
) {
  const api = yield* Api
  const path = pathOf(kind, yield* idOf(kind, text), `/${operation}`)
  const body = file === undefined ? undefined : yield* textOf(file)
  const changed = yield* api.json<Document>({ method: "POST", path, body, key })
  if (wait) return yield* printOutcome(kind, changed.id)
  yield* (yield* Output).one(changed, documentLines(changed))
})

export const retry = (kind: Kind) =>
  Command.make("retry", { document: document(kind), key: Flags.idempotencyKey, wait: Flags.wait }, (flags) =>
    change(kind, "retry", flags)
  ).pipe(
    Flags.described(
      `Retry a failed ${kind.one} once its cause is fixed; keeps its number`,
      `folio ${kind.command} retry ${kind.sample} --wait`
    )
  )

export const correct = (kind: Kind) =>
  Command.make(
    "correct",
    {
      document: document(kind),
      file: Flags.file(`The complete corrected ${kind.one}`),
      key: Flags.idempotencyKey,
      wait: Flags.wait
    },
    (flags) => change(kind, "correct", flags)
  ).pipe(
    Flags.described(
      `Correct a rejected ${kind.one}; it keeps its number`,
      `folio ${kind.command} correct ${kind.sample} -f corrected.json --wait`
    )
  )

export const cancel = (kind: Kind) =>
  Command.make("cancel", { document: document(kind), key: Flags.idempotencyKey }, (flags) =>
    change(kind, "cancel", flags)
  ).pipe(Flags.described("Cancel a draft that has no number yet", `folio ${kind.command} cancel ${kind.idPrefix}…`))

export const email = (kind: Kind) =>
  Command.make(
    "email",
    {
      document: document(kind),
      to: Flags.text("to", "ADDRESS", "An address instead of the customer's"),
      key: Flags.idempotencyKey
    },
    Effect.fnUntraced(function* ({ document: text, key, to }) {
      const api = yield* Api
      const path = pathOf(kind, yield* idOf(kind, text), "/email")
      const sent = yield* api.json<EmailSnapshot>({ method: "POST", path, body: JSON.stringify({ to }), key })
      yield* (yield* Output).one(sent, () => [`The email ${sent.id} to ${shown(sent.to)} is ${sent.status}.`])
    })
  ).pipe(
    Flags.described(
      `Email ${kind.aOne} again, to the customer or to another address`,
      `folio ${kind.command} email ${kind.sample} --to archive@example.com`
    )
  )

export const annul = (kind: Kind) =>
  Command.make(
    "annul",
    {
      document: document(kind),
      reason: Flags.required("reason", "TEXT", "Reason, printed on the credit note"),
      key: Flags.idempotencyKey,
      wait: Flags.wait
    },
    Effect.fnUntraced(function* ({ document: text, key, reason, wait }) {
      const api = yield* Api
      const id = yield* idOf(kind, text)
      const note = yield* api.call("invoices", "annulInvoice", { params: { id }, payload: { reason } }, { key })
      if (wait) return yield* printOutcome(creditNotes, note.id)
      yield* (yield* Output).one(note, ({ bold, dim }) => [
        `The credit note ${bold(note.id)} for all lines is now a draft.`,
        dim(`To see its outcome: folio credit-notes get ${note.id}`)
      ])
    })
  ).pipe(
    Flags.described(
      "Annul an accepted invoice with a credit note for all its lines",
      "folio invoices annul FE12 --reason 'Pedido cancelado'"
    )
  )
