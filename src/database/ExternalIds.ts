import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import * as AccountView from "./AccountView.ts"
import { type Key, ofAccount } from "./Keys.ts"
import * as Query from "./Query.ts"
import { violates } from "./SqlFailure.ts"

/** An external id is unique among the account's objects of one kind, in one mode. */
export type NamedKind = "customer" | DocumentKind

const Holder = Schema.Struct({ object_id: Schema.String, is_deleted: Schema.Boolean })

/** The error for an external id that names another object, also after the deletion of that object. */
export const externalIdTaken = (kind: NamedKind, { is_deleted, object_id }: typeof Holder.Type) => {
  const noun = kind.replace("_", " ")
  return new ApiError({
    code: "external_id_taken",
    message: is_deleted
      ? `external_id names the ${noun} ${object_id}, which was deleted, and is never free again. Send another external_id.`
      : `external_id names the ${noun} ${object_id}, and is never free again. Use that ${noun}, or send another external_id.`,
    param: "external_id"
  })
}

/**
 * Takes the external ids of the rows `n` without a stored response `k`, in the statement that creates the objects. `n`
 * has the columns account_id, livemode, external_id, id and ord. Returns the ids of the objects whose external id was
 * free: the statement must create exactly these. Takes the external ids in sorted order, so that two statements with
 * the same external ids cannot deadlock.
 */
export const takeAll = (sql: SqlClient.SqlClient, kind: NamedKind, source: Statement.Fragment) => sql`
  insert into external_ids (account_id, livemode, kind, external_id, object_id)
  select n.account_id, n.livemode, ${kind}, n.external_id, n.id from ${source}
  where n.external_id is not null and k.value is null
  order by n.account_id, n.livemode, n.external_id, n.ord
  on conflict do nothing returning object_id`

/**
 * Repeats a creation once if it fails because another transaction has claimed its idempotency key meanwhile. The
 * repetition reads the stored response.
 */
export const repeatedIfClaimed = <A, E, R>(create: Effect.Effect<A, E, R>) =>
  Effect.catchCauseIf(create, violates("external_id_names_an_object"), () => create)

/** The SQL condition for the object with an external id: none if the id is null. */
export const withExternalId = (
  sql: SqlClient.SqlClient,
  account: AccountMode,
  kind: NamedKind,
  external_id: string | null
): ReadonlyArray<Statement.Fragment> =>
  external_id === null
    ? []
    : [
        sql`id = (
          select object_id from external_ids
          where ${ofAccount(sql, account)} and kind = ${kind} and external_id = ${external_id}
        )`
      ]

/** The external ids of customers and documents. */
export class ExternalIds extends Context.Service<ExternalIds>()("folio/database/ExternalIds", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const find = Query.first(
      Holder,
      (account: AccountMode, kind: NamedKind, external_id: string) => sql`
        select object_id, kind = 'customer' and not exists (
          select from customers c
          where c.account_id = e.account_id and c.livemode = e.livemode and c.id = e.object_id
        ) as is_deleted
        from external_ids e
        where ${ofAccount(sql, account)} and kind = ${kind} and external_id = ${external_id}`
    )

    /** The error for a new object with this external id; none if the external id is null or free. */
    const refusal = Effect.fn("ExternalIds.refusal")(function* (
      account: AccountMode,
      kind: NamedKind,
      external_id: string | null
    ) {
      if (external_id === null) return Option.none<ApiError>()
      const holder = yield* AccountView.within(sql, account)(find(account, kind, external_id))
      return Option.map(holder, (found) => externalIdTaken(kind, found))
    })

    /**
     * Takes the external id, unless null, of an object that the caller's transaction has created. Fails with
     * `external_id_taken`.
     */
    const take = Effect.fn("ExternalIds.take")(function* (key: Key, kind: NamedKind, external_id: string | null) {
      if (external_id === null) return
      const { account_id, id: object_id, livemode } = key
      const row = { account_id, livemode, kind, external_id, object_id }
      const taken = sql`insert into external_ids ${sql.insert(row)} on conflict do nothing returning object_id`
      if (yield* Query.isAny(taken)) return
      const holder = yield* Effect.orDie(Effect.flatMap(find(key, kind, external_id), Effect.fromOption))
      return yield* externalIdTaken(kind, holder)
    })

    return { refusal, take }
  })
}) {
  static readonly layer = Layer.effect(ExternalIds, ExternalIds.make)
}
