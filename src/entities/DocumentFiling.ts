import { Effect, Layer, Option, Semaphore } from "effect"
import { hash } from "node:crypto"
import { ApiError } from "../../schemas/ApiError.ts"
import { ServiceInfo } from "../api/ServiceInfo.ts"
import { DocumentFiles, type DocumentName } from "../documents/DocumentFiles.ts"
import { renderPdf } from "../documents/Pdf.ts"
import { documentKinds } from "../domain/DocumentKinds.ts"
import { stageOf, statusOf } from "../domain/InvoiceLifecycle.ts"
import { Accounts } from "../store/Accounts.ts"
import { Invoices, type StoredInvoice } from "../store/Invoices.ts"
import { documentOf } from "./InvoicePapers.ts"

/** Documents that are printed at the same time: it is this process's own work, and who waits for it waits in line. */
const printedAtOnce = 2

const noFile = ({ kind, id, state }: StoredInvoice, file: string) => {
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
    const { version } = yield* ServiceInfo
    const printing = yield* Semaphore.make(printedAtOnce)

    /** The document that a client named, and the bytes that were signed. */
    const signed = Effect.fnUntraced(function* (name: DocumentName, file: string) {
      const found = yield* invoices.find(name, name.id)
      if (Option.isNone(found) || found.value.kind !== name.kind) {
        return yield* ApiError.missing(documentKinds[name.kind].noun, name.id)
      }
      // One that is tried again is signed anew: what was signed before says nothing any more.
      const isSigned = !["queued", "numbered"].includes(found.value.state)
      const bytes = isSigned ? yield* invoices.signedDocument(found.value) : Option.none()
      if (Option.isNone(bytes)) return yield* noFile(found.value, file)
      return { row: found.value, bytes: bytes.value }
    })

    return DocumentFiles.of({
      pdf: Effect.fn("DocumentFiles.pdf")(function* (name) {
        const { row } = yield* signed(name, "PDF")
        const loaded = yield* Effect.orDie(Effect.fromOption(yield* invoices.load(row)))
        const document = documentOf(loaded, yield* accounts.issuer(loaded, loaded.issuer_version))
        return {
          full_number: document.full_number,
          // What another release prints may look different.
          tag: tagOf(`${version} ${JSON.stringify(document)}`),
          bytes: printing.withPermits(1)(renderPdf(document))
        }
      }),
      xml: Effect.fn("DocumentFiles.xml")(function* (name) {
        const { bytes, row } = yield* signed(name, "XML")
        return { full_number: row.full_number ?? "", tag: tagOf(bytes), bytes: Effect.succeed(bytes) }
      })
    })
  })
)
