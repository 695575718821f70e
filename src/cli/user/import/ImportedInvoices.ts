import { createHash } from "node:crypto"
import { jsonOf } from "../../../clients/typescript/ResponseBody.ts"
import { decimal, percentage, product, rounded } from "../../../documents/rules/Decimal.ts"
import { lineOf as sheetLine, type Row, type Sheet } from "./Sheet.ts"

/** An error in a line of the file, with its field. */
export interface Fault {
  readonly line: number
  readonly field: string | null
  readonly message: string
}

/** An invoice in the file: its request body, and its customer's request body if the file has no `customer_id`. */
export interface Item {
  /** The invoice's lines in the file: one per invoice line in a sheet, or one in all. */
  readonly lines: ReadonlyArray<number>
  readonly order: string | null
  readonly request: Readonly<Record<string, unknown>>
  readonly customer: Readonly<Record<string, unknown>> | undefined
  readonly faults: ReadonlyArray<Fault>
  /** Translates an error of the request to a line and a field of the file. */
  readonly faultAt: (param: string | undefined, message: string) => Fault
  /** Idempotency key, made from the content only: the same in any file and at any line. */
  readonly key: string
  /** The invoice's lines for the file of failed invoices, with the error. */
  readonly again: (error: string) => string
}

const keyOf = (content: unknown) =>
  `import-${createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 48)}`

const ofLine = ["description", "quantity", "unit_code", "unit_price", "tax_code", "tax_rate"] as const
const ofIdentification = ["identification_type", "identification_number", "check_digit"] as const
const ofParty = ["legal_name", "organization_type"] as const
const ofAddress = ["email", "address", "city_code", "department_code", "country_code"] as const
const ofPayment = ["payment_code", "payment_type", "due_date"] as const
const ofCustomer = [...ofIdentification, ...ofParty, ...ofAddress] as const
const own = ["prefix", "external_id"] as const
const ofInvoice = ["customer_id", "currency", "exchange_rate", "operation_type", ...own, ...ofPayment] as const

/** The columns of a sheet, without the `metadata.NAME` columns. */
export const columns: ReadonlyArray<string> = ["order", ...ofInvoice, ...ofCustomer, ...ofLine]

const errorColumn = "error"
const metadataColumn = /^metadata\.(.+)$/s

export const isColumn = (column: string): boolean =>
  column === errorColumn || columns.includes(column) || metadataColumn.test(column)

/** Defaults for omitted and empty columns. */
const standard: Readonly<Record<string, string>> = {
  currency: "COP",
  operation_type: "10",
  payment_code: "10",
  payment_type: "1",
  quantity: "1",
  unit_code: "94"
}

/**
 * Normalizes "50000", "50000.5" and "50000.50" to two decimals; with a decimal comma, also "50.000,50". Undefined for
 * any other text, and for more than `decimals` decimals.
 */
export const amountOf = (text: string, hasComma: boolean, decimals = 2): string | undefined => {
  const form = hasComma ? /^([1-9]\d{0,2}(?:\.\d{3})+|\d+)(?:,(\d+))?$/ : /^(\d+)(?:\.(\d+))?$/
  const [, whole, fraction = ""] = form.exec(text) ?? []
  const digits = whole?.replaceAll(".", "") ?? ""
  const fits = digits !== "" && digits.length <= 15 && fraction.length <= decimals
  return fits ? `${digits}.${fraction.padEnd(2, "0")}` : undefined
}

const noAmount = (text: string, hasComma: boolean, decimals: number) => {
  const example = hasComma ? "50000,25 or 50.000,25" : "50000 or 50000.25"
  const hint = !hasComma && text.includes(",") ? ", or import with --decimal-comma" : ""
  return `${JSON.stringify(text)} is not an amount with at most ${decimals} decimals: write ${example}${hint}`
}

/** In a file with semicolons, the decimal comma is usual, so 1.500 could mean fifteen hundred. */
const isAmbiguous = (text: string, delimiter: string, hasComma: boolean) =>
  !hasComma && delimiter === ";" && /^[1-9]\d{0,2}\.\d{3}$/.test(text)

/** Decimals that the API accepts in a line's quantity and price. */
const ofFigure = 6

/** The cells of a row that `names` lists and that are not empty. */
const picked = (cells: Row["cells"], names: ReadonlyArray<string>) =>
  Object.fromEntries(names.flatMap((name) => (cells[name] === undefined ? [] : [[name, cells[name]]])))

const lineOf = ({ cells, line }: Row, { delimiter }: Sheet, hasComma: boolean, faults: Array<Fault>) => {
  const text = (field: string) => {
    const cell = cells[field] ?? standard[field]
    if (cell === undefined) faults.push({ line, field, message: "is empty" })
    return cell ?? ""
  }
  const amount = (field: string, decimals: number) => {
    const cell = text(field)
    if (isAmbiguous(cell, delimiter, hasComma)) {
      faults.push({
        line,
        field,
        message: `"${cell}" may be ${cell.replace(".", "")}: write ${cell}0, or import with --decimal-comma`
      })
      return "0.00"
    }
    const read = amountOf(cell, hasComma, decimals)
    if (read === undefined && cell !== "") faults.push({ line, field, message: noAmount(cell, hasComma, decimals) })
    return read ?? "0.00"
  }
  const [quantity, unit_price] = [amount("quantity", ofFigure), amount("unit_price", ofFigure)]
  const base = rounded(product(quantity, unit_price))
  const code = text("tax_code")
  const rate = code === "ZZ" ? "0.00" : amount("tax_rate", 2)
  const taxed = code === "ZZ" ? 0n : base
  return {
    description: text("description"),
    quantity,
    unit_code: text("unit_code"),
    unit_price,
    line_extension_amount: decimal(base),
    taxes: [{ code, rate, base: decimal(taxed), value: decimal(rounded(percentage(taxed, rate))) }]
  }
}

const customerOf = (cells: Row["cells"]) => {
  const { check_digit, identification_number: number, identification_type: type } = cells
  return {
    identification: { type, number, ...(check_digit === undefined ? {} : { check_digit }) },
    ...picked(cells, [...ofParty, ...ofAddress])
  }
}

const ownColumns = ({ columns: all }: Sheet) => all.filter((column) => column !== errorColumn)

/** The heading of the sheet of failed invoices. */
export const headingOf = (sheet: Sheet): string => sheetLine([...ownColumns(sheet), errorColumn], sheet.delimiter)

/** Translates an error's path in the request to a line and a field of the sheet. */
const faultInSheet =
  (lines: ReadonlyArray<number>): Item["faultAt"] =>
  (param, message) => {
    const [first = 0] = lines
    const [, index, inLine] = /^lines\[(\d+)\]\.(.*)$/s.exec(param ?? "") ?? []
    if (index !== undefined && inLine !== undefined) {
      return { line: lines[Number(index)] ?? first, field: inLine.replace(/^taxes\[0\]\./, "tax_"), message }
    }
    const field = param
      ?.replace(/^payment_means\.due_date$/, "due_date")
      .replace(/^payment_means\./, "payment_")
      .replace(/^identification\.check_digit$/, "check_digit")
      .replace(/^identification\./, "identification_")
    return { line: first, field: field ?? null, message }
  }

/**
 * The invoice of one row, or of all rows with the same `order`. Fields of the whole invoice come from its first row.
 */
const itemOf = (rows: readonly [Row, ...Array<Row>], sheet: Sheet, hasComma: boolean): Item => {
  const [first, ...others] = rows
  const faults: Array<Fault> = []
  const whole = ownColumns(sheet).filter((column) => !ofLine.some((name) => name === column))
  for (const { cells, line } of others) {
    const other = whole.find((column) => cells[column] !== undefined && cells[column] !== first.cells[column])
    if (other === undefined) continue
    faults.push({ line, field: other, message: `differs from line ${first.line}, which has the same order` })
  }
  const { cells } = first
  const value = (name: string) => cells[name] ?? standard[name]
  const { customer_id, due_date, exchange_rate, order } = cells
  const metadata = Object.fromEntries([
    ...(order === undefined ? [] : [["order", order]]),
    ...Object.entries(cells).flatMap(([name, cell]) => {
      const [, key] = metadataColumn.exec(name) ?? []
      return key === undefined ? [] : [[key, cell]]
    })
  ])
  const rate = exchange_rate === undefined ? undefined : amountOf(exchange_rate, hasComma)
  if (exchange_rate !== undefined && rate === undefined) {
    faults.push({ line: first.line, field: "exchange_rate", message: noAmount(exchange_rate, hasComma, 2) })
  }
  if (customer_id === undefined && cells["identification_number"] === undefined) {
    faults.push({ line: first.line, field: "customer_id", message: "is empty, as is identification_number" })
  }
  const request = {
    customer_id,
    currency: value("currency"),
    ...(rate === undefined ? {} : { exchange_rate: rate }),
    operation_type: value("operation_type"),
    payment_means: {
      code: value("payment_code"),
      type: value("payment_type"),
      ...(due_date === undefined ? {} : { due_date })
    },
    ...picked(cells, own),
    lines: rows.map((row) => lineOf(row, sheet, hasComma, faults)),
    metadata
  }
  const content = rows.map((row) => Object.entries(row.cells).filter(([column]) => column !== errorColumn))
  return {
    lines: rows.map(({ line }) => line),
    order: order ?? null,
    request,
    customer: customer_id === undefined ? customerOf(cells) : undefined,
    faults,
    faultAt: faultInSheet(rows.map(({ line }) => line)),
    key: keyOf(content.map((one) => one.toSorted(([a], [b]) => (a < b ? -1 : 1)))),
    again: (error) =>
      rows
        .map((row) =>
          sheetLine([...ownColumns(sheet).map((column) => row.cells[column] ?? ""), error], sheet.delimiter)
        )
        .join("")
  }
}

/** The invoices in a sheet. Rows with the same `order` are the lines of one invoice, wherever they are. */
export const itemsOfSheet = (sheet: Sheet, hasComma: boolean): ReadonlyArray<Item> => {
  const groups = new Map<string, [Row, ...Array<Row>]>()
  for (const row of sheet.rows) {
    const { order } = row.cells
    const name = order === undefined ? `line ${row.line}` : `order ${order}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [row])
    else group.push(row)
  }
  return [...groups.values()].map((rows) => itemOf(rows, sheet, hasComma))
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The invoices in a text with one JSON request per line. */
export const itemsOfLines = (content: string): ReadonlyArray<Item> =>
  content
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .map((text, index) => ({ text: text.trim(), line: index + 1 }))
    .filter(({ text }) => text !== "")
    .map(({ line, text }) => {
      const value = jsonOf(text)
      const { [errorColumn]: _, ...request } = isObject(value) ? value : {}
      const metadata = request["metadata"]
      const order = isObject(metadata) && typeof metadata["order"] === "string" ? metadata["order"] : null
      return {
        lines: [line],
        order,
        request,
        customer: undefined,
        faults: isObject(value) ? [] : [{ line, field: null, message: "is not a JSON object" }],
        faultAt: (param: string | undefined, message: string) => ({ line, field: param ?? null, message }),
        key: keyOf(isObject(value) ? request : text),
        again: (error: string) => `${isObject(value) ? JSON.stringify({ ...request, [errorColumn]: error }) : text}\n`
      }
    })

/** Rejects duplicates in the file: they would have the same idempotency key. */
export const withoutDoubles = (items: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  const first = new Map<string, number>()
  return items.map((item) => {
    const [line = 0] = item.lines
    const before = first.get(item.key)
    if (before === undefined) first.set(item.key, line)
    const message = `is the same as line ${before}: if both are intended, give each its own order`
    return before === undefined ? item : { ...item, faults: [...item.faults, { line, field: null, message }] }
  })
}
