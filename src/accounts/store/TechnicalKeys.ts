import type { Key } from "../../database/Keys.ts"

/** The place that the technical key of a range is sealed for (see `Secrets`). */
export const rangeContext = ({ id }: Pick<Key, "id">) => `resolutions|${id}`

/** The place that the technical key of a test set's range is sealed for. */
export const testRangeContext = ({ account_id, id }: Pick<Key, "account_id" | "id">) =>
  `enablements|${account_id}|${id}`
