import { Effect, Layer, Option, Schema } from "effect"
import { DocumentId } from "../../schemas/Id.ts"
import { DocumentParcel } from "../documents/EmailParcel.ts"
import { Printer } from "../documents/Printer.ts"
import { accountAddress } from "../protocol/Address.ts"
import { Accounts } from "../store/Accounts.ts"
import type { InvoiceState } from "../domain/InvoiceLifecycle.ts"
import { type InvoiceKey, Invoices } from "../store/Invoices.ts"
import { DocumentSigning } from "./DocumentSigning.ts"
import { documentOf } from "./InvoicePapers.ts"
import { Printing } from "./Printing.ts"

/** Puts together what is mailed of a document, from its row and its signed bytes, when somebody sends or reads it. */
export const layer = Layer.effect(
  DocumentParcel,
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const invoices = yield* Invoices
    const printer = yield* Printer
    const printing = yield* Printing
    const signing = yield* DocumentSigning

    const pack = Effect.fnUntraced(function* (name: InvoiceKey, state: InvoiceState) {
      const found = yield* invoices.load(name)
      const bytes = yield* invoices.signedDocument(name)
      if (Option.isNone(found) || Option.isNone(bytes)) return Option.none()
      const [row, signed] = [found.value, bytes.value]
      const document = documentOf(row, yield* accounts.issuer(row, row.issuer_version))
      // In contingency there is no answer yet to put beside the document.
      const answer = state === "accepted_by_authority" ? yield* invoices.acceptance(name) : Option.none()
      const xml = Option.isSome(answer) ? yield* Effect.orDie(signing.attach(row, { signed, ...answer.value })) : signed
      return Option.some(yield* printer.parcel(document, xml))
    })

    return DocumentParcel.of({
      of: Effect.fn("DocumentParcel.of")(function* (key, state, asker) {
        const { account_id, livemode } = key
        const id = yield* Effect.orDie(Schema.decodeEffect(DocumentId)(key.id))
        return yield* printing.inTurn({ owner: accountAddress(key), asker }, pack({ account_id, livemode, id }, state))
      })
    })
  })
)
