import { Option, Result } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { ApiError } from "../../../schemas/ApiError.ts"
import { ExternalIds, externalIdTaken, type NamedKind } from "../../../src/database/ExternalIds.ts"
import type { Key } from "../../../src/database/Keys.ts"
import { inMemory, modeKey, type Tables } from "./MemoryTables.ts"

const nameOf = (account: AccountMode, kind: NamedKind, external_id: string) =>
  `${modeKey(account)}|${kind}|${external_id}`

const refusal = (tables: Tables, account: AccountMode, kind: NamedKind, external_id: string | null) => {
  const object_id = external_id === null ? undefined : tables.externalIds.get(nameOf(account, kind, external_id))
  if (object_id === undefined) return Option.none<ApiError>()
  const is_deleted = kind === "customer" && !tables.customers.has(object_id)
  return Option.some(externalIdTaken(kind, { object_id, is_deleted }))
}

/** Takes an external id for a new object, before the object is written. */
export const takeExternalId = (
  tables: Tables,
  key: Key,
  kind: NamedKind,
  external_id: string | null
): Result.Result<void, ApiError> => {
  const taken = refusal(tables, key, kind, external_id)
  if (Option.isSome(taken)) return Result.fail(taken.value)
  if (external_id !== null) tables.externalIds.set(nameOf(key, kind, external_id), key.id)
  return Result.succeed(undefined)
}

export const layerExternalIds = inMemory(ExternalIds, ({ call }) => ({
  refusal: (account, kind, external_id) =>
    call("ExternalIds.refusal", (tables) => refusal(tables, account, kind, external_id))
}))
