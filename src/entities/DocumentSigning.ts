import { Cache, Context, Duration, Effect, Exit, Layer, Option, Redacted, Schema } from "effect"
import type { AccountId } from "../../schemas/Id.ts"
import { type Accepted, attachedDocument } from "../documents/AttachedDocument.ts"
import { fromPem, SandboxCertificate } from "../documents/Certificate.ts"
import { signDocument } from "../documents/SignedDocument.ts"
import { RegisteredSoftware } from "../documents/Software.ts"
import { AuthorityUnavailable, type DocumentName } from "../outbound/Authority.ts"
import { Accounts } from "../store/Accounts.ts"
import { Certificates } from "../store/Certificates.ts"
import type { LoadedInvoice } from "../store/Invoices.ts"
import { documentOf } from "./InvoicePapers.ts"
import { certificateLack } from "./LiveReadiness.ts"

/** A live document whose account has no certificate that is valid now. The message is one line that says what to do. */
export class NoCertificate extends Schema.TaggedError<NoCertificate>()("NoCertificate", { message: Schema.String }) {}

/** A live document, and no software that is registered with the authority: the sandbox's stands in no live document. */
export class NoSoftware extends Schema.TaggedError<NoSoftware>()("NoSoftware", { message: Schema.String }) {}

const noSoftware = new NoSoftware({
  message:
    "The document cannot be signed: the service has no registered software (its operator sets SOFTWARE_ID, SOFTWARE_PIN and SOFTWARE_NIT)."
})

// Certificates that sign are at hand, read and parsed; they never change.
const parsedMax = 1_000

/** From a document's row to what is signed and sent: with its issuer as of its number, and the certificate of its account. */
export class DocumentSigning extends Context.Service<
  DocumentSigning,
  {
    readonly sign: (row: LoadedInvoice) => Effect.Effect<Uint8Array, NoCertificate | NoSoftware>
    /** What the acquirer of an accepted document is sent: it and the authority's answer in one. */
    readonly attach: (
      row: LoadedInvoice,
      accepted: Omit<Accepted, "document">
    ) => Effect.Effect<Uint8Array, NoCertificate | NoSoftware>
    /** How the authority is told which document is meant. Without a certificate it cannot be asked. */
    readonly nameOf: (row: LoadedInvoice) => Effect.Effect<DocumentName, AuthorityUnavailable>
    /** What an account identifies itself with in live mode. */
    readonly liveCertificate: (account: AccountId) => Effect.Effect<DocumentName["certificate"], NoCertificate>
  }
>()("folio/entities/DocumentSigning") {
  static readonly layer = Layer.effect(
    DocumentSigning,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const certificates = yield* Certificates
      const sandbox = yield* SandboxCertificate
      const software = yield* RegisteredSoftware
      const issuerOf = (row: LoadedInvoice) => accounts.issuer(row, row.issuer_version)
      const softwareOf = ({ livemode }: LoadedInvoice) => {
        if (!livemode) return Effect.succeed(software.test)
        return software.live === undefined ? Effect.fail(noSoftware) : Effect.succeed(software.live)
      }

      const parsed = yield* Cache.makeWith(
        (key: string) => {
          const [account_id, id] = key.split("|") as [AccountId, Parameters<typeof certificates.pem>[0]["id"]]
          return Effect.map(certificates.pem({ account_id, id }), (pem) => fromPem(Redacted.value(pem)))
        },
        { capacity: parsedMax, timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : 0) }
      )

      const liveCertificate = Effect.fnUntraced(function* (account: AccountId) {
        const found = yield* certificates.current(account)
        const lack = certificateLack(found)
        if (lack !== null || Option.isNone(found)) {
          return yield* new NoCertificate({ message: `The document cannot be signed: ${lack}.` })
        }
        return yield* Cache.get(parsed, `${account}|${found.value.id}`)
      })

      const certificateOf = (row: LoadedInvoice) =>
        row.livemode ? liveCertificate(row.account_id) : Effect.succeed(sandbox)

      return DocumentSigning.of({
        liveCertificate,
        sign: Effect.fn("DocumentSigning.sign")(function* (row) {
          return yield* signDocument(
            documentOf(row, yield* issuerOf(row)),
            yield* softwareOf(row),
            yield* certificateOf(row)
          )
        }),
        attach: Effect.fn("DocumentSigning.attach")(function* (row, accepted) {
          const document = documentOf(row, yield* issuerOf(row))
          return yield* attachedDocument({ ...accepted, document }, yield* softwareOf(row), yield* certificateOf(row))
        }),
        nameOf: Effect.fnUntraced(function* (row) {
          const { identification } = yield* issuerOf(row)
          return {
            account_id: row.account_id,
            in_contingency: row.contingency_since !== null,
            cufe: row.cufe ?? "",
            kind: row.kind,
            full_number: row.full_number ?? "",
            issue_date: row.issue_date ?? "",
            livemode: row.livemode,
            issuer_nit: identification.number,
            certificate: yield* Effect.mapError(
              certificateOf(row),
              ({ message }) => new AuthorityUnavailable({ message, of_document: true })
            )
          }
        })
      })
    })
  )
}
