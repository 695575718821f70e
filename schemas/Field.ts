import type { Schema } from "effect"

/** Adds a public description to a field, and an example if the schema has none or another one fits better. */
export const field = <S extends Schema.Top>(schema: S, description: string, ...examples: ReadonlyArray<S["Type"]>) =>
  schema.annotateKey({ description, ...(examples.length === 0 ? {} : { examples }) })
