import { Effect, Layer, Option } from "effect"
import { DocumentParcel, emailParcel } from "../documents/EmailParcel.ts"
import { InvoiceId } from "../../schemas/Id.ts"
import { Accounts } from "../store/Accounts.ts"
import { Invoices } from "../store/Invoices.ts"
import { documentOf } from "./InvoicePapers.ts"

/** Puts together what is mailed of a document, from its row and its signed bytes, when somebody sends or reads it. */
export const layer = Layer.effect(
  DocumentParcel,
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const invoices = yield* Invoices

    return DocumentParcel.of({
      of: Effect.fn("DocumentParcel.of")(function* (key) {
        const id = InvoiceId.make(key.id)
        const name = { account_id: key.account_id, livemode: key.livemode, id }
        const row = yield* invoices.load(name)
        const signed = yield* invoices.signedDocument(name)
        if (Option.isNone(row) || Option.isNone(signed)) return Option.none()
        const issuer = yield* accounts.issuer(row.value.account_id, row.value.issuer_version)
        const document = documentOf(row.value, issuer)
        const xml = { name: `${document.full_number}.xml`, bytes: signed.value }
        return Option.some(emailParcel(document, { xml, pdf: null }))
      })
    })
  })
)
