import { Effect, type Option, Schema } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import { CurrentPrincipal, type Principal } from "../../api/Authorization.ts"

/** A request whose path names an object. */
export interface Named {
  readonly params: { readonly id: string }
}

/** Makes a decoder of ids that fails with `resource_missing`: an id without the form of its kind names nothing. */
export const makeIdOf =
  <Id extends string>(noun: string, schema: Schema.Codec<Id, string>) =>
  (id: string) =>
    Effect.mapError(Schema.decodeEffect(schema)(id), () => ApiError.missing(noun, id))

/** Makes a reader of the rows that paths name. The reader fails with `resource_missing`. */
export const makeFind = <Row>(
  noun: string,
  read: (principal: Principal, id: string) => Effect.Effect<Option.Option<Row>>
) =>
  Effect.fnUntraced(function* (id: string) {
    const row = yield* read(yield* CurrentPrincipal, id)
    return yield* Effect.mapError(Effect.fromOption(row), () => ApiError.missing(noun, id))
  })
