import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { InvoiceRequest } from "../../../../schemas/Invoice.ts"
import { invoiceViolations } from "../../../../src/documents/rules/LocalRules.ts"
import {
  amountOf,
  headingOf,
  type Item,
  itemsOfLines,
  itemsOfSheet,
  withoutDoubles
} from "../../../../src/cli/user/import/ImportedInvoices.ts"
import { textOf } from "../../../../src/cli/user/FileOutput.ts"
import { lineOf, type Sheet, sheetOf } from "../../../../src/cli/user/import/Sheet.ts"
import { stepsOf, withSettings } from "../../../../src/cli/user/trigger/TriggerSettings.ts"

const sheet = (content: string): Sheet => {
  const read = sheetOf(content)
  if (typeof read === "string") return assert.fail(read)
  return read
}

const items = (content: string) => withoutDoubles(itemsOfSheet(sheet(content), false))

const faults = (all: ReadonlyArray<Item>) =>
  all.flatMap((item) => item.faults.map(({ field, line, message }) => `${line} ${field} ${message}`))

const decodeInvoice = Schema.decodeUnknownSync(InvoiceRequest)

const heading = "order,customer_id,description,quantity,unit_price,tax_code,tax_rate"

const cells = Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(5))
const hundredths = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000_000 }))
const written = (amount: number) => `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, "0")}`

describe("A sheet of invoices", () => {
  it("may have a spreadsheet's format: byte order mark, semicolons or tabs, CRLF, quotes, lines within quotes", () => {
    for (const delimiter of [",", ";", "\t"]) {
      const text = `\ufeffa,b\r\n1,"x\r\ny, ""z"""\r\n\r\n ,\r\n3,4\r\n`.replaceAll(/,(?! )/g, delimiter)
      const read = sheet(text)
      assert.deepStrictEqual(read.columns, ["a", "b"])
      assert.deepStrictEqual(read.rows, [
        { line: 2, cells: { a: "1", b: 'x\ny, "z"' } },
        { line: 6, cells: { a: "3", b: "4" } }
      ])
    }
  })

  it.prop("returns the written text of its lines", [cells], ([given]) => {
    const row = given.map((cell) => cell.toWellFormed().replaceAll(/\r\n?/g, "\n"))
    const columns = row.map((_, index) => `c${index}`)
    const read = sheet(lineOf(["first", ...columns], ";") + lineOf(["1", ...row], ";"))
    const filled = row.map((cell, index) => [`c${index}`, cell.trim()] as const).filter(([, cell]) => cell !== "")
    assert.deepStrictEqual(read.rows, [{ line: 2, cells: { first: "1", ...Object.fromEntries(filled) } }])
  })

  it("gets an error if it is malformed", () => {
    for (const wrong of ['a,b\n1,"2\n', "a,a\n1,2\n", "a,b\n1,2,3\n"]) assert.isString(sheetOf(wrong), wrong)
  })

  it.prop(
    "has exact amounts, as the API computes them",
    [hundredths, hundredths, hundredths],
    ([quantity, price, rate]) => {
      const [item] = items(
        `${heading}\n7,cust_1,Tea,${written(quantity)},${written(price)},03,${written(rate % 10_000)}\n`
      )
      assert.deepStrictEqual(item?.faults, [])
      const wrong = invoiceViolations(decodeInvoice(item?.request), "2026-11-23").map(({ code }) => code)
      assert.notInclude(wrong, "amount_mismatch")
      assert.notInclude(wrong, "tax_mismatch")
    }
  )

  it("makes one invoice of the lines with one order, and keeps order and metadata", () => {
    const content = `${heading},metadata.shop,external_id\n1,cust_1,Tea,2,50000,01,19,Cali,erp-1\n2,cust_2,Bread,1,5,ZZ,,,\n1,,Cup,1,0.5,ZZ,,,\n`
    const [first, second] = items(content)
    assert.deepStrictEqual(first?.lines, [2, 4])
    assert.deepStrictEqual(first?.request, {
      customer_id: "cust_1",
      currency: "COP",
      operation_type: "10",
      external_id: "erp-1",
      payment_means: { code: "10", type: "1" },
      lines: [
        {
          description: "Tea",
          quantity: "2.00",
          unit_code: "94",
          unit_price: "50000.00",
          line_extension_amount: "100000.00",
          taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
        },
        {
          description: "Cup",
          quantity: "1.00",
          unit_code: "94",
          unit_price: "0.50",
          line_extension_amount: "0.50",
          taxes: [{ code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" }]
        }
      ],
      metadata: { order: "1", shop: "Cali" }
    })
    assert.deepStrictEqual(second?.lines, [3])
    assert.notProperty(second?.request, "external_id")
    assert.deepStrictEqual(faults(items(content)), [])
  })

  it("gets errors by line and field", () => {
    const content = `${heading}\n1,cust_1,Tea,1,5,01,19\n1,cust_2,Cup,1,5,01,19\n2,,Tea,x,"1,50",,\n,cust_1,A,1,5,ZZ,\n,cust_1,A,1,5,ZZ,\n`
    assert.deepStrictEqual(faults(items(content)), [
      "3 customer_id differs from line 2, which has the same order",
      "4 customer_id is empty, as is identification_number",
      '4 quantity "x" is not an amount with at most 6 decimals: write 50000 or 50000.25',
      '4 unit_price "1,50" is not an amount with at most 6 decimals: write 50000 or 50000.25, or import with --decimal-comma',
      "4 tax_code is empty",
      "4 tax_rate is empty",
      "6 null is the same as line 5: if both are intended, give each its own order"
    ])
  })

  it("has amounts with a point, or with a comma if the option says so, and never guesses", () => {
    const read: ReadonlyArray<readonly [string, point: string | undefined, comma: string | undefined]> = [
      ["5", "5.00", "5.00"],
      ["5.5", "5.50", undefined],
      ["5,5", undefined, "5.50"],
      ["1.500", undefined, "1500.00"],
      ["1.500,25", undefined, "1500.25"],
      ["1,500.25", undefined, undefined],
      ["-5", undefined, undefined],
      ["5.", undefined, undefined],
      ["1e3", undefined, undefined],
      ["0.001", undefined, undefined],
      ["1234567890123456", undefined, undefined]
    ]
    assert.strictEqual(amountOf("1000.333", false, 6), "1000.333")
    assert.strictEqual(amountOf("1.000,333333", true, 6), "1000.333333")
    assert.isUndefined(amountOf("0.3333333", false, 6))
    for (const [text, point, comma] of read) {
      assert.strictEqual(amountOf(text, false), point, text)
      assert.strictEqual(amountOf(text, true), comma, text)
    }
  })

  it("accepts Excel's line that names the delimiter, and keeps the line numbers", () => {
    for (const first of ["sep=;", '"sep=;"', "SEP=;", "\ufeffsep=;"]) {
      const { delimiter, rows } = sheet(`${first}\r\n${heading.replaceAll(",", ";")}\r\n1;cust_1;Tea;1;5;01;19\r\n`)
      assert.deepStrictEqual([delimiter, rows[0]?.line], [";", 3], first)
    }
    assert.deepStrictEqual(sheet("sep=,\na;b,c\n1,2\n").columns, ["a;b", "c"])
  })

  it("computes a line whose price has more than two decimals", () => {
    const [one] = items(`${heading}\n1,cust_1,Tea,1.5,1000.333,01,19\n`)
    assert.deepStrictEqual(one?.faults, [])
    assert.deepInclude((one?.request["lines"] as ReadonlyArray<object> | undefined)?.[0], {
      quantity: "1.50",
      unit_price: "1000.333",
      line_extension_amount: "1500.50"
    })
    const semicolons = `${heading}\n1,cust_1,Tea,1,1.500,01,19\n`.replaceAll(",", ";")
    assert.deepStrictEqual(faults(items(semicolons)), [
      '2 unit_price "1.500" may be 1500: write 1.5000, or import with --decimal-comma'
    ])
  })

  it("derives keys from the content only: not from its place, the columns' order, or the error of an earlier run", () => {
    const [one, two] = items(`${heading}\n1,cust_1,Tea,1,5,01,19\n2,cust_1,Tea,1,5,01,19\n`)
    const again = sheet(headingOf(sheet(`${heading}\n`)) + (two?.again('is "wrong"; why') ?? ""))
    const [third] = itemsOfSheet(again, false)
    assert.notStrictEqual(one?.key, two?.key)
    assert.strictEqual(third?.key, two?.key)
    assert.deepStrictEqual(third?.request, two?.request)
    assert.isAtMost(one?.key.length ?? 0, 128 - "customer-".length)
  })
})

describe("The text of a file", () => {
  it.effect("must be UTF-8, with or without a byte order mark", () =>
    Effect.gen(function* () {
      const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-text-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => Fs.rmSync(directory, { recursive: true })))
      const file = Path.join(directory, "orders.csv")
      Fs.writeFileSync(file, "\ufeffCafé")
      assert.strictEqual(yield* textOf(file), "Café")
      Fs.writeFileSync(file, Buffer.from("Café", "latin1"))
      assert.strictEqual((yield* Effect.flip(textOf(file))).message, `${file} is not in UTF-8.`)
      const missing = yield* Effect.flip(textOf(`${file}.gone`))
      assert.strictEqual(missing.message, `${file}.gone cannot be read: there is no such file or directory`)
    })
  )
})

describe("A file of requests, one a line", () => {
  it("yields one request for each line, and appears again with the errors", () => {
    const content =
      '\ufeff{"customer_id":"c","metadata":{"order":"7"}}\r\n\n[1]\nno\n{"customer_id":"c","metadata":{"order":"7"}}\n'
    const all = withoutDoubles(itemsOfLines(content))
    assert.deepStrictEqual(
      all.map(({ lines, order }) => [...lines, order]),
      [
        [1, "7"],
        [3, null],
        [4, null],
        [5, "7"]
      ]
    )
    assert.deepStrictEqual(faults(all), [
      "3 null is not a JSON object",
      "4 null is not a JSON object",
      "5 null is the same as line 1: if both are intended, give each its own order"
    ])
    const [again] = itemsOfLines(all[0]?.again("wrong") ?? "")
    assert.strictEqual(again?.key, all[0]?.key)
    assert.deepStrictEqual(again?.request, all[0]?.request)
    assert.strictEqual(all[2]?.again("wrong"), "no\n")
  })
})

describe("folio trigger --set", () => {
  it("names a field by its path", () => {
    assert.deepStrictEqual(stepsOf("lines[0].taxes.1.rate"), ["lines", 0, "taxes", 1, "rate"])
    assert.deepStrictEqual(stepsOf("metadata.a.b"), ["metadata", "a.b"])
    for (const wrong of ["", ".", "a..b", "lines."]) assert.isUndefined(stepsOf(wrong), wrong)
  })

  it.effect("sets fields of a copy, and no prototype", () =>
    Effect.gen(function* () {
      const request = { lines: [{ description: "Tea" }] }
      const settings = ["lines[0].description=a=b", "metadata.order=7", "__proto__.x=1", "notes[0]=n"]
      const changed = yield* withSettings(request, settings)
      assert.strictEqual(
        JSON.stringify(changed),
        '{"lines":[{"description":"a=b"}],"metadata":{"order":"7"},"__proto__":{"x":"1"},"notes":["n"]}'
      )
      assert.isUndefined(Reflect.get({}, "x"))
      assert.deepStrictEqual(request, { lines: [{ description: "Tea" }] })
      assert.strictEqual((yield* Effect.flip(withSettings(request, ["order"])))._tag, "Misuse")
    })
  )
})
