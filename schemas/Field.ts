import type { Schema } from "effect"

/** A field with its public description, and an example where the schema gives none or another one fits better. */
export const field = <S extends Schema.Top>(schema: S, description: string, ...examples: ReadonlyArray<S["Type"]>) =>
  schema.annotateKey({ description, ...(examples.length === 0 ? {} : { examples }) })
