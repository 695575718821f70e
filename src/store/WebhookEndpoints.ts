import { Context, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { EventType } from "../../schemas/Event.ts"
import { WebhookEndpointId } from "../../schemas/Id.ts"
import type { PageRequest } from "../../schemas/Page.ts"
import { Metadata } from "../../schemas/Text.ts"
import { Version } from "../../schemas/Version.ts"
import type { WebhookEndpoint, WebhookEndpointUpdate } from "../../schemas/WebhookEndpoint.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import * as AccountView from "./AccountView.ts"
import * as Pages from "./Pages.ts"
import { Secrets } from "./Secrets.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  id: WebhookEndpointId,
  url: Schema.String,
  description: Schema.NullOr(Schema.String),
  subscribed_events: Schema.Array(EventType),
  is_active: Schema.Boolean,
  max_in_flight: Schema.Int,
  metadata: Metadata,
  api_version: Version,
  failing_since: Schema.NullOr(Schema.Date),
  last_success_at: Schema.NullOr(Schema.Date),
  full_since: Schema.NullOr(Schema.Date),
  created_at: Schema.Date,
  updated_at: Schema.Date
})
export type StoredWebhookEndpoint = typeof Row.Type

export const EndpointKey = Schema.Struct({ ...AccountMode.fields, id: WebhookEndpointId })
export type EndpointKey = typeof EndpointKey.Type

export const endpointsPerAccountMax = 16

export const limitReached = new ApiError({
  code: "endpoint_limit_reached",
  message: `An account has at most ${endpointsPerAccountMax} webhook endpoints in each mode. Delete one that is no longer used.`
})

/** Where a signing secret is sealed for; a delivery opens it at the moment it is sent. */
export const secretPlace = (id: string) => `webhook_endpoints|${id}`

export class WebhookEndpoints extends Context.Service<
  WebhookEndpoints,
  {
    readonly find: (of: AccountMode, id: string) => Effect.Effect<Option.Option<StoredWebhookEndpoint>>
    readonly list: (of: AccountMode, page: PageRequest) => Effect.Effect<Pages.Rows<StoredWebhookEndpoint>, ApiError>
    /** Fails with `endpoint_limit_reached`. Part of the caller's transaction. */
    readonly insert: (endpoint: StoredWebhookEndpoint, secret: string) => Effect.Effect<void, ApiError>
    /** None when there is no such endpoint. Activating one makes its waiting deliveries due. */
    readonly update: (
      key: EndpointKey,
      patch: WebhookEndpointUpdate,
      at: Date
    ) => Effect.Effect<Option.Option<StoredWebhookEndpoint>>
    readonly replaceSecret: (
      key: EndpointKey,
      secret: string,
      at: Date
    ) => Effect.Effect<Option.Option<StoredWebhookEndpoint>>
    /** Removes the endpoint and cancels what it had not received yet; false when there is none. */
    readonly remove: (key: EndpointKey) => Effect.Effect<boolean>
  }
>()("folio/store/WebhookEndpoints") {
  static readonly layer = Layer.effect(
    WebhookEndpoints,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secrets = yield* Secrets
      const columns = sql.literal(Object.keys(Row.fields).join(", "))
      const decodeOne = (rows: ReadonlyArray<unknown>) =>
        rows.length === 0 ? Effect.succeedNone : Effect.asSome(Schema.decodeUnknownEffect(Row)(rows[0]))
      const where = (key: AccountMode & { readonly id: string }) =>
        sql`account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id}`

      const find = Effect.fn("WebhookEndpoints.find")((of: AccountMode, id: string) =>
        sql`select ${columns} from webhook_endpoints where ${where({ ...of, id })}`.pipe(
          Effect.flatMap(decodeOne),
          AccountView.within(sql, of),
          Effect.orDie
        )
      )

      const countEndpoints = SqlSchema.findOne({
        Request: AccountMode,
        Result: Schema.Struct({ count: Schema.BigInt }),
        execute: (of) => sql`
          select count(*) from webhook_endpoints where account_id = ${of.account_id} and livemode = ${of.livemode}`
      })

      const insert: WebhookEndpoints["Service"]["insert"] = Effect.fn("WebhookEndpoints.insert")(
        function* (endpoint, secret) {
          // The account's row is the lock that lets the count hold until the commit.
          yield* Effect.orDie(sql`select id from accounts where id = ${endpoint.account_id} for no key update`)
          if ((yield* Effect.orDie(countEndpoints(endpoint))).count >= endpointsPerAccountMax)
            return yield* limitReached
          const sealed = yield* secrets.seal(secret, secretPlace(endpoint.id))
          yield* sql`insert into webhook_endpoints ${sql.insert({
            ...endpoint,
            metadata: JSON.stringify(endpoint.metadata),
            secret: sealed
          })}`.pipe(Effect.orDie)
        }
      )

      const update: WebhookEndpoints["Service"]["update"] = Effect.fn("WebhookEndpoints.update")(function* (
        key,
        patch,
        at
      ) {
        const { metadata, ...fields } = patch
        const changes = {
          ...fields,
          ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
          updated_at: at
        }
        const updated = yield* sql`
            update webhook_endpoints set ${sql.update(changes)} where ${where(key)} returning ${columns}`.pipe(
          Effect.flatMap(decodeOne)
        )
        if (patch.is_active === true) {
          yield* sql`
              update deliveries set next_attempt_at = now()
              where account_id = ${key.account_id} and livemode = ${key.livemode} and endpoint_id = ${key.id}
                and status = 'pending' and next_attempt_at = 'infinity'`
        }
        return updated
      }, Effect.orDie)

      const replaceSecret: WebhookEndpoints["Service"]["replaceSecret"] = Effect.fn("WebhookEndpoints.replaceSecret")(
        function* (key, secret, at) {
          const sealed = yield* secrets.seal(secret, secretPlace(key.id))
          return yield* sql`
            update webhook_endpoints set secret = ${sealed}, updated_at = ${at} where ${where(key)}
            returning ${columns}`.pipe(Effect.flatMap(decodeOne))
        },
        Effect.orDie
      )

      const remove = Effect.fn("WebhookEndpoints.remove")(function* (key: EndpointKey) {
        // Locked first, so that what somebody asks for at this moment is seen by the statement that cancels, or is refused.
        const lock = sql`select id from webhook_endpoints where ${where(key)} for update`
        const removal = sql`
          with gone as (delete from webhook_endpoints where ${where(key)} returning id),
          canceled as (
            update deliveries d set status = 'canceled', updated_at = now() from gone g
            where d.account_id = ${key.account_id} and d.livemode = ${key.livemode} and d.endpoint_id = g.id
              and d.status = 'pending'
          )
          select id from gone`
        const removed = yield* AccountView.within(sql, key)(Effect.andThen(lock, removal))
        return removed.length === 1
      }, Effect.orDie)

      return WebhookEndpoints.of({
        find,
        list: Pages.make(sql, { table: "webhook_endpoints", columns, row: Row }),
        insert,
        update,
        replaceSecret,
        remove
      })
    })
  )
}

/** The endpoint as the API shows it: without its secret. */
export const endpointView = (row: StoredWebhookEndpoint): WebhookEndpoint => ({
  id: row.id,
  object: "webhook_endpoint",
  url: row.url,
  description: row.description,
  subscribed_events: row.subscribed_events,
  is_active: row.is_active,
  livemode: row.livemode,
  max_in_flight: row.max_in_flight,
  metadata: row.metadata,
  api_version: row.api_version,
  health: {
    status: row.failing_since !== null ? "failing" : row.last_success_at !== null ? "healthy" : "unknown",
    failing_since: row.failing_since === null ? null : timestamp(row.failing_since.getTime()),
    last_success_at: row.last_success_at === null ? null : timestamp(row.last_success_at.getTime()),
    full_since: row.full_since === null ? null : timestamp(row.full_since.getTime())
  },
  created_at: timestamp(row.created_at.getTime()),
  updated_at: timestamp(row.updated_at.getTime())
})
