import { Clock, Context, Duration, Effect, Layer, Redacted } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { AccountId } from "../../schemas/Id.ts"
import { ServiceInfo } from "../api/ServiceInfo.ts"
import { checkLink, filePath, type FileKind, type LinkFault, linkKey, signedPath } from "../domain/FileLink.ts"
import { type InvoiceState, statusOf } from "../domain/InvoiceLifecycle.ts"
import { catalogueUrl } from "../domain/QrText.ts"
import { SecretKey } from "./Secrets.ts"

/** What is needed of a document's row. */
interface Linked extends AccountMode {
  readonly id: string
  readonly state: InvoiceState
  readonly cufe: string | null
}

/** Null where there is nothing to lead to: files until the document is accepted, the authority's page until it has its code. */
export interface Links {
  readonly pdf_url: string | null
  readonly xml_url: string | null
  readonly qr_url: string | null
}

const ofAnswers = Duration.hours(1)
const ofEvents = Duration.days(7)

// Links of one minute are the same: who asks twice need not think that something has changed.
const stepSeconds = 60

const isAccepted = (state: InvoiceState) => ["accepted_by_authority", "accepted_contingency"].includes(statusOf(state))

/** Links to a document's files, which open them for a time and without an API key. */
export class FileLinks extends Context.Service<
  FileLinks,
  {
    /** From now on good for an hour, a minute more at most: for answers to requests. */
    readonly inAnswers: Effect.Effect<(row: Linked) => Links>
    /** The same for seven days: events are read later. */
    readonly inEvents: Effect.Effect<(row: Linked) => Links>
    /** Whose file the link opens, at this moment. */
    readonly check: (path: string, query: URLSearchParams) => Effect.Effect<AccountMode, LinkFault>
  }
>()("folio/store/FileLinks") {
  static readonly layer = Layer.effect(
    FileLinks,
    Effect.gen(function* () {
      const { baseUrl } = yield* ServiceInfo
      const key = linkKey(Redacted.value(yield* SecretKey))

      const lasting = (lifetime: Duration.Duration) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const expires = Math.ceil((now / 1_000 + Duration.toSeconds(lifetime)) / stepSeconds) * stepSeconds
          return (row: Linked): Links => {
            const { account_id, cufe, id, livemode, state } = row
            const url = (file: FileKind) =>
              isAccepted(state)
                ? baseUrl + signedPath({ account_id, livemode, path: filePath(id, file), expires }, key)
                : null
            return {
              pdf_url: url("pdf"),
              xml_url: url("xml"),
              qr_url: cufe === null ? null : catalogueUrl(livemode ? "1" : "2", cufe)
            }
          }
        })

      return FileLinks.of({
        inAnswers: lasting(ofAnswers),
        inEvents: lasting(ofEvents),
        check: Effect.fnUntraced(function* (path, query) {
          const now = yield* Clock.currentTimeMillis
          const of = yield* Effect.fromResult(checkLink(path, query, key, Math.floor(now / 1_000)))
          return { account_id: AccountId.make(of.account_id), livemode: of.livemode }
        })
      })
    })
  )
}
