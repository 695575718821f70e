import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlClient, Statement } from "effect/sql"
import {
  AccountId,
  ApiKeyId,
  CertificateId,
  CustomerId,
  EmailId,
  EventId,
  InvoiceId,
  NoteId,
  RequestId,
  ResolutionId,
  WebhookEndpointId
} from "../../schemas/Id.ts"

/** New ids. Within a process each sorts after the one before, even within one millisecond. */
export class Ids extends Context.Service<
  Ids,
  {
    readonly account: Effect.Effect<AccountId>
    readonly apiKey: Effect.Effect<ApiKeyId>
    readonly certificate: Effect.Effect<CertificateId>
    readonly creditNote: Effect.Effect<NoteId>
    readonly customer: Effect.Effect<CustomerId>
    readonly debitNote: Effect.Effect<NoteId>
    readonly email: Effect.Effect<EmailId>
    readonly event: Effect.Effect<EventId>
    readonly invoice: Effect.Effect<InvoiceId>
    readonly request: Effect.Effect<RequestId>
    readonly resolution: Effect.Effect<ResolutionId>
    readonly webhookEndpoint: Effect.Effect<WebhookEndpointId>
  }
>()("folio/store/Ids") {
  static readonly layer = Layer.effect(
    Ids,
    Effect.map(SecureRandom.SecureRandom, (random) => {
      const id = <A>(prefix: string, make: (id: string) => A) =>
        Effect.map(random.ulid, (ulid) => make(`${prefix}_${ulid.toLowerCase()}`))
      return Ids.of({
        account: id("ten", AccountId.make),
        apiKey: id("key", ApiKeyId.make),
        certificate: id("cert", CertificateId.make),
        creditNote: id("cn", NoteId.make),
        customer: id("cust", CustomerId.make),
        debitNote: id("dn", NoteId.make),
        email: id("em", EmailId.make),
        event: id("evt", EventId.make),
        invoice: id("inv", InvoiceId.make),
        request: id("req", RequestId.make),
        resolution: id("res", ResolutionId.make),
        webhookEndpoint: id("we", WebhookEndpointId.make)
      })
    })
  )
}

const digits = "0123456789abcdefghjkmnpqrstvwxyz"
// The clocks of the processes that make ids, and the moment between an id and the time that is noted beside it.
const slackMs = 60_000

const idOf = (prefix: string, timeMs: number): string => {
  let rest = Math.max(timeMs, 0)
  let text = ""
  for (let place = 0; place < 10; place++) {
    text = `${digits[rest % 32]}${text}`
    rest = Math.floor(rest / 32)
  }
  return `${prefix}_${text}`
}

/** Before any id of this kind that was made at that time or later. Ids begin with their time, in base 32. */
export const firstIdAt = (prefix: string, time: Date): string => idOf(prefix, time.getTime() - slackMs)

/** After any id of this kind that was made at that time or earlier. */
export const lastIdAt = (prefix: string, time: Date): string => idOf(prefix, time.getTime() + slackMs)

/** The id of an event's delivery to an endpoint: made of theirs, so that there is but one, and as old as the event. */
export const deliveryId = (sql: SqlClient.SqlClient, event: Statement.Fragment, endpoint: Statement.Fragment) =>
  sql`'whd_' || substr(${event}, 5, 10) || substr(encode(sha256(convert_to(${event} || ${endpoint}, 'UTF8')), 'hex'), 1, 16)`

/** The id of the e-mail that follows from an event: made of the event's, so that there is but one. */
export const emailId = (sql: SqlClient.SqlClient, event: Statement.Fragment) => sql`'em_' || substr(${event}, 5)`
