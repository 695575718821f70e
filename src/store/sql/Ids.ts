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
  IncidentId,
  InvoiceId,
  NoteId,
  PortalSessionId,
  RequestId,
  ResolutionId,
  SoftwareId,
  WebhookEndpointId
} from "../../../schemas/Id.ts"

/** Makes new ids. Within a process each id sorts after the previous id, even within one millisecond. */
export class Ids extends Context.Service<Ids>()("folio/store/Ids", {
  make: Effect.map(SecureRandom.SecureRandom, (random) => {
    const id = <A>(prefix: string, make: (id: string) => A) =>
      Effect.map(random.ulid, (ulid) => make(`${prefix}_${ulid.toLowerCase()}`))
    return {
      account: id("ten", AccountId.make),
      apiKey: id("key", ApiKeyId.make),
      certificate: id("cert", CertificateId.make),
      creditNote: id("cn", NoteId.make),
      customer: id("cust", CustomerId.make),
      debitNote: id("dn", NoteId.make),
      email: id("em", EmailId.make),
      event: id("evt", EventId.make),
      incident: id("inc", IncidentId.make),
      invoice: id("inv", InvoiceId.make),
      portalSession: id("ps", PortalSessionId.make),
      request: id("req", RequestId.make),
      resolution: id("res", ResolutionId.make),
      software: id("soft", SoftwareId.make),
      webhookEndpoint: id("we", WebhookEndpointId.make)
    }
  })
}) {
  static readonly layer = Layer.effect(Ids, Ids.make)
}

const digits = "0123456789abcdefghjkmnpqrstvwxyz"
// Allows for clock differences between the processes that make ids, and for the time between an id and its row's timestamp.
const slackMs = 60_000

/** A text that sorts after all ids of this kind that were made before the time (Unix milliseconds), and before those made from then on. */
export const idOf = (prefix: string, timeMs: number): string => {
  let rest = Math.max(timeMs, 0)
  let text = ""
  for (let place = 0; place < 10; place++) {
    text = `${digits[rest % 32]}${text}`
    rest = Math.floor(rest / 32)
  }
  return `${prefix}_${text}`
}

/** A text that sorts before any id of this kind that was made at `time` or later. Ids begin with their time, in base 32. */
export const firstIdAt = (prefix: string, time: Date): string => idOf(prefix, time.getTime() - slackMs)

/** A text that sorts after any id of this kind that was made at `time` or earlier. */
export const lastIdAt = (prefix: string, time: Date): string => idOf(prefix, time.getTime() + slackMs)

/** The SQL of a delivery's id, which begins with the time of its event and derives from event and endpoint: one for each pair. */
export const deliveryId = (sql: SqlClient.SqlClient, event: Statement.Fragment, endpoint: Statement.Fragment) =>
  sql`'whd_' || substr(${event}, 5, 10) || substr(encode(sha256(convert_to(${event} || ${endpoint}, 'UTF8')), 'hex'), 1, 16)`

/** The SQL of the id of the e-mail that an event causes. The id derives from the event's id: an event causes only one e-mail. */
export const emailId = (sql: SqlClient.SqlClient, event: Statement.Fragment) => sql`'em_' || substr(${event}, 5)`
