import type { Schema } from "effect"
import { timestamp } from "../runtime/AuthorityTime.ts"

/** A row of a resource: its fields without `object`, and with dates instead of texts. */
type RowOf<Shown> = {
  readonly [Name in keyof Omit<Shown, "object">]: Shown[Name] | (string extends Shown[Name] ? Date : never)
}

interface Resource {
  readonly Type: object
  readonly fields: Schema.Struct.Fields & { readonly object: { readonly literal: unknown } }
}

/** Makes the function that shows a row as a resource: the fields of the schema, in order, with dates as timestamps. */
export const viewOf =
  <R extends Resource>(resource: R) =>
  (row: RowOf<R["Type"]>): R["Type"] => {
    const all: Readonly<Record<string, unknown>> = { ...row, object: resource.fields.object.literal }
    const shown = Object.keys(resource.fields).map((name) => {
      const value = all[name]
      return [name, value instanceof Date ? timestamp(value.getTime()) : value]
    })
    return Object.fromEntries(shown) as R["Type"]
  }
