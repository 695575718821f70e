import type { Violation } from "../../../schemas/ApiError.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"

/**
 * The violation of an `external_id` that differs from the object's own, in a request that replaces the content of the
 * object.
 */
export const keptExternalId = (
  noun: string,
  object: { readonly id: string; readonly external_id: string | null },
  sent: string | undefined
): ReadonlyArray<Violation> => {
  const { external_id, id } = object
  if (sent === undefined || sent === external_id) return []
  const right = external_id === null ? "be omitted" : `be ${JSON.stringify(external_id)} or be omitted`
  const message = `external_id must ${right}: the ${noun} ${id} keeps the value of its creation.`
  return [violation("external_id", "parameter_invalid", message, "kept_external_id")]
}
