import type { Violation } from "../../../schemas/ApiError.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { type FormFaults, type SentFields, stepsOf, typed } from "../forms/FormBody.ts"
import { field } from "../forms/FormFields.ts"
import type { Visit } from "../frame/Visit.ts"

/** A typed key and its typed value. */
export type Pair = readonly [key: string, value: string]

const pairsMax = 50
const blankRows = 2

const keyField = (row: number) => `metadata[${row}].key`
const valueField = (row: number) => `metadata[${row}].value`

/** The pairs that a form sent, without empty rows. */
export const sentPairs = (fields: SentFields): ReadonlyArray<Pair> => {
  const rows = Array.from({ length: pairsMax + blankRows }, (_, row): Pair => [
    fields.all(keyField(row))[0] ?? "",
    typed(fields.all(valueField(row))[0] ?? "")
  ])
  return rows.filter(([key, value]) => key !== "" || value !== "")
}

/** A key that two rows hold. The API would silently keep only one of them. */
export const repeatedKey = (pairs: ReadonlyArray<Pair>): string | undefined =>
  pairs.map(([key]) => key).find((key, row, keys) => keys.indexOf(key) < row)

export const metadataOf = (pairs: ReadonlyArray<Pair>): Record<string, string> => Object.fromEntries(pairs)

/** An unchanged value as a browser sends it back. */
const unchanged = (value: string) => value.replaceAll(/\r\n?/g, "\n")

/** Whether the pairs of the form are unchanged. */
export const isUnchanged = (pairs: ReadonlyArray<Pair>, before: Readonly<Record<string, string>>): boolean =>
  pairs.length === Object.keys(before).length &&
  pairs.every(([key, value]) => Object.hasOwn(before, key) && unchanged(before[key] ?? "") === value)

/** The field of a metadata violation, by the rows that were sent. Returns the `param` of other violations unchanged. */
export const fieldOfPair = (
  { message, param }: Pick<Violation, "message" | "param">,
  pairs: ReadonlyArray<Pair>
): string => {
  const [root, name] = stepsOf(param) ?? []
  if (root !== "metadata" || name === undefined) return param
  // The API truncates a long key in its message.
  const start = String(name).replace(/…$/, "")
  const row = pairs.findLastIndex(([key]) => key === name || (start !== name && key.startsWith(start)))
  if (row === -1) return param
  return message.startsWith("a metadata value") ? valueField(row) : keyField(row)
}

/** The metadata fields: one row per pair, and empty rows for new pairs. */
export const metadataFields = ({ t }: Visit, pairs: ReadonlyArray<Pair>, faults: FormFaults): Html => {
  const rows: ReadonlyArray<Pair> = [
    ...pairs,
    ...Array.from({ length: Math.min(blankRows, pairsMax - pairs.length) }, (): Pair => ["", ""])
  ]
  return html`<p class="soft">
      ${t(
        "Your own keys and values, such as the customer’s number in your shop. Folio removes empty rows.",
        "Claves y valores propios, como el número del cliente en su tienda. Folio elimina las filas vacías."
      )}
    </p>
    ${rows.map(
      ([key, value], row) =>
        html`<div class="fields">
          ${field(keyField(row), `${t("Key", "Clave")} ${row + 1}`, { value: key, error: faults.of(keyField(row)) })}
          ${field(valueField(row), `${t("Value", "Valor")} ${row + 1}`, {
            value,
            error: faults.of(valueField(row)),
            ...(value.includes("\n") ? { rows: 2 } : {})
          })}
        </div>`
    )}`
}

/** The field names of the rows that were sent. */
export const metadataNames = (pairs: ReadonlyArray<Pair>): ReadonlyArray<string> =>
  pairs.flatMap((_, row) => [keyField(row), valueField(row)])
