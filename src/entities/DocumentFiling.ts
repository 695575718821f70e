import { Effect, Layer, Option } from "effect"
import { hash } from "node:crypto"
import { ApiError } from "../../schemas/ApiError.ts"
import { ServiceInfo } from "../api/ServiceInfo.ts"
import { DocumentFiles, type DocumentName } from "../documents/DocumentFiles.ts"
import { Printer } from "../documents/Printer.ts"
import { documentKinds } from "../domain/DocumentKinds.ts"
import { type InvoiceState, stageOf, statusOf } from "../domain/InvoiceLifecycle.ts"
import { accountAddress } from "../protocol/Address.ts"
import { Accounts } from "../store/Accounts.ts"
import { Invoices } from "../store/Invoices.ts"
import { documentOf } from "./InvoicePapers.ts"
import { Printing } from "./Printing.ts"

const noFile = ({ id, kind }: DocumentName, state: InvoiceState, file: string) => {
  const status = statusOf(state)
  const standing = status === "draft" ? `it is a draft at the stage ${stageOf(state)}` : `its status is ${status}`
  return new ApiError({
    code: "resource_missing",
    message: `The ${documentKinds[kind].noun} ${JSON.stringify(id)} has no ${file}: ${standing}. A document has its files from when it is signed.`
  })
}

const tagOf = (content: string | Uint8Array) => hash("sha256", content, "hex").slice(0, 32)

/** The files of documents, from their rows: with the issuer and the range as of their number. */
export const layer = Layer.effect(
  DocumentFiles,
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const invoices = yield* Invoices
    const printer = yield* Printer
    const printing = yield* Printing
    const { version } = yield* ServiceInfo

    /** What is known of the document that a client named, which is signed. Its lines are not read for that. */
    const signed = Effect.fnUntraced(function* (name: DocumentName, file: string) {
      const found = yield* invoices.imprint(name, name.id)
      if (Option.isNone(found) || found.value.kind !== name.kind) {
        return yield* ApiError.missing(documentKinds[name.kind].noun, name.id)
      }
      // One that is tried again is signed anew: what was signed before says nothing any more.
      const isSigned = found.value.is_signed && !["queued", "numbered"].includes(found.value.state)
      return isSigned ? found.value : yield* noFile(name, found.value.state, file)
    })

    return DocumentFiles.of({
      pdf: Effect.fn("DocumentFiles.pdf")(function* (name, asker) {
        const { full_number, id, imprint } = yield* signed(name, "PDF")
        const key = { account_id: name.account_id, livemode: name.livemode, id }
        // What another release prints may look different.
        const tag = tagOf(`${version} ${accountAddress(name)} ${imprint}`)
        const print = Effect.gen(function* () {
          const row = yield* Effect.orDie(Effect.fromOption(yield* invoices.load(key)))
          return yield* printer.pdf(documentOf(row, yield* accounts.issuer(row, row.issuer_version)))
        })
        return { full_number, tag, bytes: printing.once({ owner: accountAddress(name), asker }, tag, print) }
      }),
      xml: Effect.fn("DocumentFiles.xml")(function* (name, asker) {
        const { full_number, id } = yield* signed(name, "XML")
        const key = { account_id: name.account_id, livemode: name.livemode, id }
        const read = invoices.signedDocument(key).pipe(Effect.flatMap(Effect.fromOption), Effect.orDie)
        const bytes = yield* printing.inTurn({ owner: accountAddress(name), asker }, read)
        return { full_number, tag: tagOf(bytes), bytes: Effect.succeed(bytes) }
      })
    })
  })
)
