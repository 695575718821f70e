import { Effect, Layer, Option, Schema } from "effect"
import { DocumentId } from "../../schemas/Id.ts"
import { DocumentParcel, emailParcel } from "../documents/EmailParcel.ts"
import { renderPdf } from "../documents/Pdf.ts"
import { Accounts } from "../store/Accounts.ts"
import { Invoices } from "../store/Invoices.ts"
import { DocumentSigning } from "./DocumentSigning.ts"
import { documentOf } from "./InvoicePapers.ts"

/** Puts together what is mailed of a document, from its row and its signed bytes, when somebody sends or reads it. */
export const layer = Layer.effect(
  DocumentParcel,
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const invoices = yield* Invoices
    const signing = yield* DocumentSigning

    return DocumentParcel.of({
      of: Effect.fn("DocumentParcel.of")(function* (key, state) {
        const name = {
          account_id: key.account_id,
          livemode: key.livemode,
          id: yield* Effect.orDie(Schema.decodeEffect(DocumentId)(key.id))
        }
        const found = yield* invoices.load(name)
        const bytes = yield* invoices.signedDocument(name)
        if (Option.isNone(found) || Option.isNone(bytes)) return Option.none()
        const [row, signed] = [found.value, bytes.value]
        const document = documentOf(row, yield* accounts.issuer(row, row.issuer_version))
        // In contingency there is no answer yet to put beside the document.
        const answer = state === "accepted_by_authority" ? yield* invoices.acceptance(name) : Option.none()
        const xml = Option.isSome(answer)
          ? yield* Effect.orDie(signing.attach(row, { signed, ...answer.value }))
          : signed
        const pdf = { name: `${document.full_number}.pdf`, bytes: yield* renderPdf(document) }
        return Option.some(emailParcel(document, { xml: { name: `${document.full_number}.xml`, bytes: xml }, pdf }))
      })
    })
  })
)
