import { Clock, Context, Duration, Effect, Layer, Redacted } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { AccountId } from "../../../schemas/Id.ts"
import { ServiceInfo } from "../../runtime/ServiceInfo.ts"
import { checkLink, filePath, type FileKind, linkKey, signedPath } from "../rules/FileLink.ts"
import { type InvoiceState, statusOf } from "../rules/InvoiceLifecycle.ts"
import { PreviousSecretKey, SecretKey } from "../../database/Secrets.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"

/** The columns of a document from which its links derive. */
export interface Linked extends AccountMode {
  readonly kind: DocumentKind
  readonly id: string
  readonly state: InvoiceState
  readonly full_number: string | null
  readonly cufe: string | null
}

/** The links of a document. */
export interface Links {
  /** Null until the document is accepted. */
  readonly pdf_url: string | null
  /** Null until the document is accepted. */
  readonly xml_url: string | null
  /** The authority's page of the document; null without a code, or if the authority has no page. */
  readonly qr_url: string | null
}

const ofAnswers = Duration.hours(1)
const ofEvents = Duration.days(7)

// Expiry times are rounded up to full minutes, so that responses within a minute have equal links.
const stepSeconds = 60

const isAccepted = (state: InvoiceState) => ["accepted_by_authority", "accepted_contingency"].includes(statusOf(state))

/** Links that open a document's files for a limited time and without an API key. */
export class FileLinks extends Context.Service<FileLinks>()("folio/invoices/store/FileLinks", {
  make: Effect.gen(function* () {
    const { baseUrl } = yield* ServiceInfo
    const key = linkKey(Redacted.value(yield* SecretKey))
    const previous = yield* PreviousSecretKey
    const keys = previous === undefined ? [key] : [key, linkKey(Redacted.value(previous))]
    const { pageOf } = yield* NationalProfile

    const lasting = (lifetime: Duration.Duration) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const expires = Math.ceil((now / 1_000 + Duration.toSeconds(lifetime)) / stepSeconds) * stepSeconds
        return (row: Linked): Links => {
          const { account_id, cufe, full_number, id, kind, livemode, state } = row
          const url = (file: FileKind) =>
            isAccepted(state)
              ? baseUrl + signedPath({ account_id, livemode, path: filePath(id, file), expires }, key)
              : null
          return {
            pdf_url: url("pdf"),
            xml_url: url("xml"),
            qr_url: cufe === null ? null : pageOf({ kind, livemode, full_number: full_number ?? "", cufe })
          }
        }
      })

    return {
      /** Links for responses, valid for one hour and at most one minute longer. */
      inAnswers: lasting(ofAnswers),
      /** Links for events, valid for seven days, because clients read events later than responses. */
      inEvents: lasting(ofEvents),
      /** The account and mode of the file that a link opens. Fails with `forged` or `expired`. */
      check: Effect.fnUntraced(function* (path: string, query: URLSearchParams) {
        const now = yield* Clock.currentTimeMillis
        const account = yield* Effect.fromResult(checkLink(path, query, keys, Math.floor(now / 1_000)))
        return { account_id: AccountId.make(account.account_id), livemode: account.livemode }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(FileLinks, FileLinks.make)
}
