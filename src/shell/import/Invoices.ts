import { createHash } from "node:crypto"
import { jsonOf } from "../../client/ResponseBody.ts"
import { decimal, percentage, product, rounded } from "../../domain/documents/Decimal.ts"
import { lineOf as sheetLine, type Row, type Sheet } from "./Sheet.ts"

/** What is wrong in a line of the file, and in which of its fields. */
export interface Fault {
  readonly line: number
  readonly field: string | null
  readonly message: string
}

/** An invoice of the file: the body of the request, and that of its customer where the file has no `customer_id`. */
export interface Item {
  /** The lines of the file: one for each line of the invoice, or one for the whole. */
  readonly lines: ReadonlyArray<number>
  readonly order: string | null
  readonly request: Readonly<Record<string, unknown>>
  readonly customer: Readonly<Record<string, unknown>> | undefined
  readonly faults: ReadonlyArray<Fault>
  /** What is wrong with a field of the request, in the words of the file. */
  readonly faultAt: (param: string | undefined, message: string) => Fault
  /** The same for the same content, in whatever file and place it stands. */
  readonly key: string
  /** The lines as the file of what failed has them again; the error is added. */
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
const ofInvoice = ["customer_id", "currency", "exchange_rate", "operation_type", "prefix", ...ofPayment] as const

/** The columns of a sheet; besides these, one `metadata.NAME` for each name. */
export const columns: ReadonlyArray<string> = ["order", ...ofInvoice, ...ofCustomer, ...ofLine]

const errorColumn = "error"
const metadataColumn = /^metadata\.(.+)$/s

export const isColumn = (column: string): boolean =>
  column === errorColumn || columns.includes(column) || metadataColumn.test(column)

/** What is added for a column that is left out or empty. */
const standard: Readonly<Record<string, string>> = {
  currency: "COP",
  operation_type: "10",
  payment_code: "10",
  payment_type: "1",
  quantity: "1",
  unit_code: "94"
}

/**
 * "50000", "50000.5" and "50000.50" as "50000.50"; with a decimal comma "50.000,50" as well. Undefined for another text, and for one
 * with more than `decimals` decimals.
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
  return `${JSON.stringify(text)} is no amount of at most ${decimals} decimals: write ${example}${hint}`
}

/** Where the semicolon stands between cells, the comma is usual before decimals: 1.500 would be fifteen hundred. */
const isAmbiguous = (text: string, delimiter: string, hasComma: boolean) =>
  !hasComma && delimiter === ";" && /^[1-9]\d{0,2}\.\d{3}$/.test(text)

/** The decimals that the interface takes of the quantity and the price of a line. */
const ofFigure = 6

/** The fields of `names` that a row fills. */
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

/** The first line of the sheet of what failed. */
export const headingOf = (sheet: Sheet): string => sheetLine([...ownColumns(sheet), errorColumn], sheet.delimiter)

/** A fault that the service names by its path in the request, as the line and the field of the file. */
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

/** The invoice of one row, or of all the rows with the same `order`; what concerns the whole invoice stands in its first row. */
const itemOf = (rows: readonly [Row, ...Array<Row>], sheet: Sheet, hasComma: boolean): Item => {
  const [first, ...others] = rows
  const faults: Array<Fault> = []
  const whole = ownColumns(sheet).filter((column) => !ofLine.some((name) => name === column))
  for (const { cells, line } of others) {
    const other = whole.find((column) => cells[column] !== undefined && cells[column] !== first.cells[column])
    if (other === undefined) continue
    faults.push({ line, field: other, message: `differs from that of line ${first.line}, which has the same order` })
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
    faults.push({ line: first.line, field: "customer_id", message: "is empty, and so is identification_number" })
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
    ...picked(cells, ["prefix"]),
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

/** The invoices of a sheet. Rows with the same `order` are the lines of one invoice, in whatever place they stand. */
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

/** The invoices of a text with the JSON of one request a line. */
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
        faults: isObject(value) ? [] : [{ line, field: null, message: "is no JSON object" }],
        faultAt: (param: string | undefined, message: string) => ({ line, field: param ?? null, message }),
        key: keyOf(isObject(value) ? request : text),
        again: (error: string) => `${isObject(value) ? JSON.stringify({ ...request, [errorColumn]: error }) : text}\n`
      }
    })

/** Refuses what stands in the file twice, because a repetition could not be told from the first. */
export const withoutDoubles = (items: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  const first = new Map<string, number>()
  return items.map((item) => {
    const [line = 0] = item.lines
    const before = first.get(item.key)
    if (before === undefined) first.set(item.key, line)
    const message = `is the same as line ${before}: if both are meant, give each an order of its own`
    return before === undefined ? item : { ...item, faults: [...item.faults, { line, field: null, message }] }
  })
}
