import { Effect, Layer, Option, Schema } from "effect"
import { hash } from "node:crypto"
import { ApiError } from "../../schemas/ApiError.ts"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { DocumentId } from "../../schemas/Id.ts"
import { ServiceInfo } from "../runtime/ServiceInfo.ts"
import { DocumentFiles, type DocumentOfAccount } from "./DocumentFiles.ts"
import { Printer } from "../documents/print/Printer.ts"
import type { FiscalDocument } from "../documents/ubl/FiscalDocument.ts"
import { makePrinting } from "../documents/print/Printing.ts"
import { documentKinds } from "../../schemas/DocumentKinds.ts"
import { type InvoiceState, stageOf, statusOf } from "./rules/InvoiceLifecycle.ts"
import * as AccountTurns from "../runtime/turns/AccountTurns.ts"
import { accountAddress } from "../runtime/Address.ts"
import { withDeadline } from "../runtime/PortCall.ts"
import { askerOf } from "../runtime/turns/Turns.ts"
import { Limits } from "../runtime/Limits.ts"
import { Accounts } from "../accounts/store/Accounts.ts"
import { Invoices } from "./store/Invoices.ts"
import { noSignature, Signing } from "./Signing.ts"

const noFile = ({ id, kind }: DocumentOfAccount, state: InvoiceState, file: string) => {
  const status = statusOf(state)
  const current = status === "draft" ? `it is a draft at the stage ${stageOf(state)}` : `its status is ${status}`
  return new ApiError({
    code: "resource_missing",
    message: `The ${documentKinds[kind].noun} ${JSON.stringify(id)} has no ${file}: ${current}. A document has its files once it is signed.`
  })
}

/** The reason on a PDF whose document has no legal validity in its state. */
const invalidityOf = (state: InvoiceState): Pick<FiscalDocument, "invalid"> => {
  const status = statusOf(state)
  if (status === "rejected_by_authority") return { invalid: "rejected" }
  return status === "failed" ? { invalid: "failed" } : {}
}

const tagOf = (content: string | Uint8Array) => hash("sha256", content, "hex").slice(0, 32)

// Longer than Folio's own printer needs for a document that waits for the time-out of another document.
const printWithinMs = 45_000

/** Ends work with a port (the printer, the national profile) that never returns, so that its turn becomes free. */
const bounded = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  withDeadline(work, printWithinMs, () =>
    Effect.die(new Error(`a file was not made within ${printWithinMs / 1_000} s`))
  )

/**
 * Makes the files and emails of documents from their rows, with the issuer and the range at the time of numbering.
 * Makes an email each time that Folio sends or reads it.
 */
export const layer = Layer.effect(
  DocumentFiles,
  Effect.gen(function* () {
    const invoices = yield* Invoices
    const accounts = yield* Accounts
    const printer = yield* Printer
    const printing = yield* makePrinting
    // Its own turns: a print takes the processor at low priority, and on a busy machine an XML would wait for it.
    const readInTurn = AccountTurns.make({ what: "XML file", ...(yield* Limits).printing })
    const signing = yield* Signing
    const { version } = yield* ServiceInfo

    /**
     * The document of a client's request, without its lines. Fails with `resource_missing` if the document or its
     * signature doesn't exist.
     */
    const imprintOf = Effect.fnUntraced(function* (name: DocumentOfAccount, file: string) {
      const found = yield* invoices.imprint(name, name.id)
      if (Option.isNone(found) || found.value.kind !== name.kind) {
        return yield* ApiError.missing(documentKinds[name.kind].noun, name.id)
      }
      // In these states a retried document waits for a new signature, and its earlier signed bytes are not valid.
      const isSigned = found.value.is_signed && !["queued", "numbered"].includes(found.value.state)
      return isSigned ? found.value : yield* noFile(name, found.value.state, file)
    })

    /** Dies if the document cannot be signed at all. Without its signer, the email waits. */
    const attached = (...document: Parameters<typeof signing.attach>) =>
      signing.attach(...document).pipe(
        Effect.catchTag("SigningUnavailable", (error) => Effect.fail(noSignature(error))),
        Effect.catchTags({ NoCertificate: Effect.die, Unsignable: Effect.die })
      )

    /** The email of a document, from its row and its signed bytes. */
    const pack = Effect.fnUntraced(function* (name: DocumentKey, state: InvoiceState) {
      // In this order, so that the row shows a correction after the bytes were read.
      const bytes = yield* invoices.signedDocument(name)
      const found = yield* invoices.load(name)
      if (Option.isNone(found) || Option.isNone(bytes) || statusOf(found.value.state) === "draft") return Option.none()
      const [row, signed] = [found.value, bytes.value]
      // A document in contingency has no response of the authority to attach.
      const answer = state === "accepted_by_authority" ? yield* invoices.acceptance(name) : Option.none()
      const xml = Option.isSome(answer) ? yield* attached(row, { signed, ...answer.value }) : signed
      const document = { ...(yield* signing.document(row)), ...invalidityOf(row.state) }
      return Option.some(yield* printer.emailPackage(document, xml, yield* accounts.logoOf(name, document.issuer)))
    })

    return DocumentFiles.of({
      pdf: Effect.fn("DocumentFiles.pdf")(function* (name, asker) {
        const { full_number, id, imprint, state } = yield* imprintOf(name, "PDF")
        const key = { account_id: name.account_id, livemode: name.livemode, id }
        // The version is part of the tag, because another release may print the same document differently.
        const validity = invalidityOf(state)
        const tag = tagOf(`${version} ${accountAddress(name)} ${imprint} ${validity.invalid ?? ""}`)
        const print = Effect.gen(function* () {
          const row = yield* Effect.orDie(Effect.fromOption(yield* invoices.load(key)))
          const document = { ...(yield* signing.document(row)), ...validity }
          return yield* printer.pdf(document, yield* accounts.logoOf(key, document.issuer))
        })
        return { full_number, tag, bytes: printing.once(askerOf(name, asker), tag, bounded(print)) }
      }),
      xml: Effect.fn("DocumentFiles.xml")(function* (name, asker) {
        const { full_number, id } = yield* imprintOf(name, "XML")
        const key = { account_id: name.account_id, livemode: name.livemode, id }
        const read = invoices.signedDocument(key).pipe(Effect.flatMap(Effect.fromOption), Effect.orDie)
        const bytes = yield* readInTurn(askerOf(name, asker), read)
        return { full_number, tag: tagOf(bytes), bytes: Effect.succeed(bytes) }
      }),
      emailPackage: Effect.fn("DocumentFiles.emailPackage")(function* (key, state, asker) {
        const { account_id, livemode } = key
        const id = yield* Effect.orDie(Schema.decodeEffect(DocumentId)(key.id))
        const packed = bounded(pack({ account_id, livemode, id }, state))
        return yield* printing.inTurn(askerOf(key, asker), packed)
      })
    })
  })
)
