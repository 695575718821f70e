import { Effect, Schema } from "effect"
import { ApiError } from "../../../../schemas/ApiError.ts"
import { Identification } from "../../../../schemas/Party.ts"
import { violation } from "../../../documents/rules/AuthorityRules.ts"

/** The identification that a path names: the type, a hyphen, and the number, which may have hyphens of its own. */
type Named = Pick<Identification, "type" | "number">

const decode = Schema.decodeUnknownEffect(
  Schema.Struct({ type: Identification.fields.type, number: Identification.fields.number })
)

/** The identification in a path. Fails with `resource_missing` for any other text. */
export const identificationOf = (noun: string, text: string): Effect.Effect<Named, ApiError> => {
  const hyphen = text.indexOf("-")
  return Effect.mapError(
    decode({ type: text.slice(0, Math.max(hyphen, 0)), number: text.slice(hyphen + 1) }),
    () =>
      new ApiError({
        code: "resource_missing",
        message: `There is no ${noun} ${JSON.stringify(text.slice(0, 64))}: a path names it by the type and the number of its identification, such as 31-900000001, without check digit.`
      })
  )
}

/** Fails if the identification in the body differs from the identification in the path. */
export const refuseOther = (path: Named, body: Named): Effect.Effect<void, ApiError> => {
  const other = (["type", "number"] as const).filter((part) => path[part] !== body[part])
  const [first, ...rest] = other.map((part) => {
    const param = `identification.${part}`
    return violation(
      param,
      "parameter_conflict",
      `${param} must be ${JSON.stringify(path[part])}, as in the path.`,
      "path"
    )
  })
  return first === undefined ? Effect.void : Effect.fail(ApiError.fromViolations([first, ...rest]))
}
