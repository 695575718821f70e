import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { WebhookEndpointId } from "../../../schemas/Id.ts"
import { WebhookEndpoint, type WebhookEndpointUpdate } from "../../../schemas/WebhookEndpoint.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import * as AccountView from "../../database/AccountView.ts"
import { columnsOf, ofAccount, ofKey } from "../../database/Keys.ts"
import * as Pages from "../../database/Pages.ts"
import * as Query from "../../database/Query.ts"
import { Secrets } from "../../database/Secrets.ts"
import { viewOf } from "../../database/View.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  ...Struct.omit(WebhookEndpoint.fields, ["object", "health"]),
  failing_since: Schema.NullOr(Schema.Date),
  last_success_at: Schema.NullOr(Schema.Date),
  full_since: Schema.NullOr(Schema.Date),
  created_at: Schema.Date,
  updated_at: Schema.Date
})
export type StoredWebhookEndpoint = typeof Row.Type

export const EndpointKey = Schema.Struct({ ...AccountMode.fields, id: WebhookEndpointId })
export type EndpointKey = typeof EndpointKey.Type

/** A webhook endpoint and the secret that signs its deliveries. */
export interface SigningSecret {
  readonly id: string
  readonly url: string
  readonly secret: string
}

export const endpointsPerAccountMax = 16

export const limitReached = new ApiError({
  code: "endpoint_limit_reached",
  message: `An account has at most ${endpointsPerAccountMax} webhook endpoints in each mode. Delete one that is no longer used.`
})

/** The place of an endpoint's encrypted signing secret (see `Secrets`). */
export const secretContext = (id: string) => `webhook_endpoints|${id}`

export class WebhookEndpoints extends Context.Service<WebhookEndpoints>()("folio/webhooks/store/WebhookEndpoints", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const columns = columnsOf(sql, Row)
    const { find, list } = Pages.readers(sql, {
      service: "WebhookEndpoints",
      table: "webhook_endpoints",
      columns,
      row: Row
    })

    const countEndpoints = Query.one(
      Schema.Struct({ count: Schema.BigInt }),
      (account: AccountMode) => sql`select count(*) from webhook_endpoints where ${ofAccount(sql, account)}`
    )

    /**
     * Inserts an endpoint and its encrypted secret in the caller's transaction. Fails with `endpoint_limit_reached`.
     */
    const insert = Effect.fn("WebhookEndpoints.insert")(function* (endpoint: StoredWebhookEndpoint, secret: string) {
      yield* AccountView.lock(sql, endpoint)
      if ((yield* countEndpoints(endpoint)).count >= endpointsPerAccountMax) return yield* limitReached
      const sealed = yield* secrets.seal(secret, secretContext(endpoint.id))
      yield* sql`insert into webhook_endpoints ${sql.insert({
        ...endpoint,
        metadata: JSON.stringify(endpoint.metadata),
        secret: sealed
      })}`.pipe(Effect.orDie)
    }, Effect.asVoid)

    const change = Query.first(
      Row,
      (key: EndpointKey, changes: Record<string, unknown>) => sql`
        update webhook_endpoints set ${sql.update(changes)} where ${ofKey(sql, key)} returning ${columns}`
    )

    /** Changes an endpoint; none if the endpoint does not exist. An activation makes the waiting deliveries due. */
    const update = Effect.fn("WebhookEndpoints.update")(function* (
      key: EndpointKey,
      { metadata, ...fields }: WebhookEndpointUpdate,
      updated_at: Date
    ) {
      const texts = metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }
      const updated = yield* change(key, { ...fields, ...texts, updated_at })
      if (fields.is_active === true) {
        yield* sql`
            update deliveries set next_attempt_at = now()
            where ${ofAccount(sql, key)} and endpoint_id = ${key.id}
              and status = 'pending' and next_attempt_at = 'infinity'`
      }
      return updated
    }, Effect.orDie)

    const replaceSecret = Effect.fn("WebhookEndpoints.replaceSecret")(function* (
      key: EndpointKey,
      secret: string,
      updated_at: Date
    ) {
      return yield* change(key, { secret: yield* secrets.seal(secret, secretContext(key.id)), updated_at })
    })

    /** Removes an endpoint and cancels its pending deliveries; false if the endpoint does not exist. */
    const remove = Effect.fn("WebhookEndpoints.remove")(function* (key: EndpointKey) {
      // Locks the endpoint first, so that a concurrent redelivery is either canceled by the removal or fails.
      const lock = sql`select id from webhook_endpoints where ${ofKey(sql, key)} for update`
      const removal = sql`
        with gone as (delete from webhook_endpoints where ${ofKey(sql, key)} returning id),
        canceled as (
          update deliveries d set status = 'canceled', updated_at = now() from gone g
          where d.account_id = ${key.account_id} and d.livemode = ${key.livemode} and d.endpoint_id = g.id
            and d.status = 'pending'
        )
        select id from gone`
      return yield* AccountView.within(sql, key)(Query.isAny(Effect.andThen(lock, removal)))
    })

    const sealedSecrets = Query.all(
      Schema.Struct({ id: Schema.String, url: Schema.String, secret: Schema.String }),
      (account: AccountMode) => sql`
        select id, url, secret from webhook_endpoints where ${ofAccount(sql, account)} order by id`
    )
    /** The signing secrets of the account's endpoints, oldest first, for checking a signature. They are never shown. */
    const signingSecrets = Effect.fn("WebhookEndpoints.signingSecrets")(function* (account: AccountMode) {
      const rows = yield* AccountView.within(sql, account)(sealedSecrets(account))
      return yield* Effect.forEach(rows, (row) =>
        Effect.map(secrets.open(row.secret, secretContext(row.id)), (secret): SigningSecret => ({ ...row, secret }))
      )
    })

    return { find, list, insert, update, replaceSecret, remove, signingSecrets }
  })
}) {
  static readonly layer = Layer.effect(WebhookEndpoints, WebhookEndpoints.make)
}

const view = viewOf(WebhookEndpoint)

const time = (date: Date | null) => (date === null ? null : timestamp(date.getTime()))

/** The endpoint as the API shows it: without its secret. */
export const endpointView = (row: StoredWebhookEndpoint): WebhookEndpoint =>
  view({
    ...row,
    health: {
      status: row.failing_since !== null ? "failing" : row.last_success_at !== null ? "healthy" : "unknown",
      failing_since: time(row.failing_since),
      last_success_at: time(row.last_success_at),
      full_since: time(row.full_since)
    }
  })
