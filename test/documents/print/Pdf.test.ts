import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { XMLParser, XMLValidator } from "fast-xml-parser"
import type { FiscalDocument } from "../../../src/documents/ubl/FiscalDocument.ts"
import { renderPdf } from "../../../src/documents/print/Pdf.ts"
import { page } from "../../../src/documents/print/PrintedSheet.ts"
import { pdfPages, type Printed } from "../../support/PdfText.ts"
import { sampleCorrection, sampleDocument, sampleLine } from "../samples.ts"
import { it } from "../../support/Tests.ts"

const pagesOf = (document: FiscalDocument) => Effect.map(renderPdf(document), pdfPages)

const textOf = (pages: ReadonlyArray<ReadonlyArray<Printed>>) =>
  pages
    .flat()
    .map(({ text }) => text)
    .join("\n")

/** Without the ends of lines: text that was wrapped is found again. */
const flat = (text: string) => text.replaceAll(/\s+/g, " ")

const says = Effect.fnUntraced(function* (document: FiscalDocument, expected: ReadonlyArray<string>) {
  const text = flat(textOf(yield* pagesOf(document)))
  for (const words of expected) assert.include(text, words)
  return text
})

const one = sampleLine("Consultoría en facturación")

describe("the printed document", () => {
  it.effect("says all that an invoice has to say", function* () {
    const text = yield* says(sampleDocument([one]), [
      "Factura electrónica de venta No. SETP990000001",
      "Fecha de emisión: 2026-11-20",
      "Hora de emisión: 10:00:00-05:00",
      "Folio Sandbox S.A.S.",
      "NIT 900373115-3",
      "Carrera 7 # 71-21 Bogotá, D.C., Colombia facturas@folio.test",
      "O-13 Gran contribuyente; O-15 Autorretenedor",
      "Ñandú & Compañía S.A.S.",
      "NIT 800197268-4",
      "Santa Fé de Antioquia, Antioquia, Colombia",
      "compras@cliente.test",
      "Forma de pago Crédito",
      "Medio de pago Tarjeta de crédito",
      "Vencimiento 2026-12-20",
      "Moneda COP (peso colombiano)",
      "1 Consultoría en facturación 2,00 Hora 50.000,00 IVA 19 % 100.000,00",
      "IVA 19 % 100.000,00 19.000,00",
      "Subtotal 100.000,00",
      "Total a pagar COP 119.000,00",
      "Son: Ciento diecinueve mil pesos M/CTE.",
      `CUFE: ${sampleDocument([]).cufe}`,
      "Resolución DIAN No. 18760000001, vigente del 2019-01-19 al 2030-01-19.",
      "Numeración autorizada: del SETP990000000 al SETP995000000.",
      "Página 1 de 1",
      "MODO PRUEBA - sin validez"
    ])
    for (const word of ["CUDE", "contingencia", "Tasa", "CORRIGE", "«?»"]) assert.notInclude(text, word)
  })

  it.effect("bears the mark of a test in the test environment alone", function* () {
    const live = flat(textOf(yield* pagesOf(sampleDocument([one], { environment: "1" }))))
    assert.notInclude(live, "MODO PRUEBA")
    assert.include(live, "https://catalogo-vpfe.dian.gov.co/")
    const pages = yield* pagesOf(sampleDocument(Array.from({ length: 90 }, () => one)))
    assert.isAbove(pages.length, 2)
    for (const texts of pages) assert.include(flat(textOf([texts])), "MODO PRUEBA - sin validez")
  })

  it.effect("of a note says what it corrects, and why", function* () {
    const note = { full_number: "NC12", range: null, correction: sampleCorrection } as const
    const corrected = [
      `Factura SETP990000000 del 2026-11-19 CUFE ${sampleCorrection.invoice.cufe}`,
      "Motivo El cliente devolvió la mercancía.",
      `CUDE: ${sampleDocument([]).cufe}`
    ]
    const credit = yield* says(sampleDocument([one], { ...note, kind: "credit_note" }), [
      ...corrected,
      "Nota crédito No. NC12",
      "Concepto 2 - Anulación de factura electrónica"
    ])
    assert.notInclude(credit, "Resolución")
    yield* says(sampleDocument([one], { ...note, kind: "debit_note" }), [
      ...corrected,
      "Nota débito No. NC12",
      "Concepto 2 - Gastos por cobrar"
    ])
  })

  it.effect("of an export names the currency, its rate and a foreign buyer", () =>
    says(
      sampleDocument([one], {
        currency: "USD",
        exchange_rate: "4100.50",
        operation_type: "11",
        acquirer: {
          identification: { type: "50", number: "US-1234" },
          legal_name: "Acme Inc.",
          organization_type: "1",
          country_code: "US"
        }
      }),
      [
        "Factura electrónica de venta - exportación",
        "NIT de otro país US-1234",
        "Ciudad Estados Unidos",
        "Moneda USD (dólar estadounidense)",
        "Tasa de cambio 1 USD = 4.100,50 COP (2026-11-20)",
        "Total a pagar USD 119.000,00",
        "Son: Ciento diecinueve mil dólares estadounidenses."
      ]
    )
  )

  it.effect("of contingency says so", () =>
    says(sampleDocument([one], { in_contingency: true }), ["Expedida en contingencia (tipo 04)"])
  )

  it.effect("has every line once, over pages that each repeat the head and count themselves", function* () {
    const lines = Array.from({ length: 500 }, (_, index) =>
      sampleLine(`Producto ${index + 1} de la lista${" con palabras de más".repeat(index % 12)}`)
    )
    const pages = yield* pagesOf(sampleDocument(lines))
    assert.isAbove(pages.length, 10)
    const text = textOf(pages)
    assert.deepStrictEqual(
      [...text.matchAll(/Producto (\d+) de la lista/g)].map(([, number]) => Number(number)),
      lines.map((_, index) => index + 1)
    )
    for (const [index, texts] of pages.entries()) {
      const here = texts.map(({ text: words }) => words)
      assert.include(here, `Página ${index + 1} de ${pages.length}`)
      const hasLines = here.some((words) => words.startsWith("Producto "))
      assert.strictEqual(here.includes("Descripción"), hasLines, `page ${index + 1}`)
      assert.strictEqual(here.includes("NIT 900373115-3"), true)
    }
  })

  it.effect("keeps inside the margins and above its foot whatever is in it", function* () {
    const long = sampleLine("W".repeat(300), {
      quantity: "999999999999999.99",
      unit_price: "999999999999999.99",
      line_extension_amount: "999999999999999.99",
      taxes: Array.from({ length: 10 }, (_, index) => ({
        code: index % 2 === 0 ? ("02" as const) : ("01" as const),
        rate: `${index}.25`,
        base: "999999999999999.99",
        value: "999999999999999.99"
      }))
    })
    const party = { legal_name: "W".repeat(450), address: "M".repeat(300), email: `${"e".repeat(240)}@example.com` }
    const plain = sampleDocument([])
    const pages = yield* pagesOf(
      sampleDocument([long, long, long], {
        full_number: "W".repeat(40),
        issuer: { ...plain.issuer, ...party, tax_responsibilities: Array.from({ length: 30 }, () => "O-13") },
        acquirer: { ...plain.acquirer, ...party },
        correction: { ...sampleCorrection, reason: "Razón ".repeat(100) },
        kind: "credit_note"
      })
    )
    assert.include(textOf(pages), "Página 1 de ")
    for (const printed of pages.flat()) {
      if (printed.text.startsWith("MODO PRUEBA")) continue
      assert.isAtLeast(printed.x, page.margin - 0.01, printed.text)
      assert.isAtMost(printed.y, page.height - page.margin + 1, printed.text)
      // Nothing is narrower than a quarter of its size: what begins too far to the right runs out of the page.
      assert.isAtMost(
        printed.x + printed.text.length * printed.size * 0.25,
        page.width - page.margin + 0.01,
        printed.text
      )
      if (/^Página \d/.test(printed.text) || printed.text.startsWith("Nota crédito W")) continue
      assert.isAtMost(printed.y, page.height - page.margin - 14, printed.text)
    }
  })

  it.effect("lists hundreds of tax rates over pages", function* () {
    const taxes = Array.from({ length: 200 }, (_, index) => ({
      code: "03" as const,
      rate: `${index}.75`,
      base: "100.00",
      value: "1.00"
    }))
    const plain = sampleDocument([one])
    const pages = yield* pagesOf({ ...plain, totals: { ...plain.totals, taxes } })
    const text = flat(textOf(pages))
    for (const { rate } of taxes) assert.include(text, `ICA ${rate.replace(".", ",")} % 100,00 1,00`)
    assert.include(text, "ICA 200,00 Total a pagar")
    assert.isAbove(pages.length, 2)
  })

  it.effect.each([
    ["Ñandú, pingüino, España, João, Łódź, Škoda", "Ñandú, pingüino, España, João, Łódź, Škoda", true],
    ["кириллица ελληνικά Tiếng Việt", "кириллица ελληνικά Tiếng Việt", true],
    ["e\u0301n n\u0303 descompuesto", "én ñ descompuesto", true],
    ["𝒳yz ﬁn", "Xyz", true],
    ["in\u200bvi\u00adsi\u202eble", "invisible", true],
    ["dos\u2028líneas\u00a0juntas", "dos líneas juntas", true],
    ["日本 café", "?? café", false],
    ["taller 🔧", "taller ?", false],
    ["مرحبا", "?????", false]
  ] as const)("prints %j as %j; whole: %s", function* ([description, shown, isWhole]) {
    const text = yield* says(sampleDocument([sampleLine(description)]), [`1 ${shown}`])
    assert.strictEqual(text.includes("Los caracteres que no pueden imprimirse se muestran como «?»"), !isWhole)
    assert.notInclude(text, "\ufffd")
    assert.notInclude(text, "\u0000")
  })

  it.effect("is the same bytes for the same document, whenever it is printed", function* () {
    const document = sampleDocument([one, sampleLine("Otra")])
    const first = yield* renderPdf(document)
    yield* renderPdf(sampleDocument([sampleLine("日本 ÀÈÌ")]))
    assert.isTrue(Buffer.from(yield* renderPdf(document)).equals(first))
    const times = Buffer.from(first)
      .toString("latin1")
      .match(/D:\d+Z?/g)
    assert.deepStrictEqual(times, ["D:20261120150000Z"], "no time but the document's own")
    assert.isFalse(Buffer.from(yield* renderPdf({ ...document, issue_time: "10:00:01-05:00" })).equals(first))
  })

  it.effect("tells of itself in XML, whatever the issuer is called", function* () {
    const document = sampleDocument([one])
    const name = `A & B <i>"C"</i> 'D' ]]> (E) \\`
    for (const [legal_name, shown] of [
      [name, name],
      ["A\u0000\u0001\u001b\u0085\ufffeB", "A B"],
      ["\ud800 Ñandú 𝒳", "\ufffd Ñandú 𝒳"]
    ] as const) {
      const bytes = yield* renderPdf({ ...document, issuer: { ...document.issuer, legal_name } })
      const text = Buffer.from(bytes).toString("utf8")
      const [xml = ""] = /<x:xmpmeta[^]*<\/x:xmpmeta>/.exec(text) ?? []
      assert.isTrue(XMLValidator.validate(xml))
      const parsed = new XMLParser({ trimValues: false }).parse(xml)
      const author = parsed["x:xmpmeta"]["rdf:RDF"]["rdf:Description"].find(
        (part: Record<string, unknown>) => part["dc:creator"] !== undefined
      )["dc:creator"]["rdf:Seq"]["rdf:li"]
      assert.strictEqual(author, shown)
      // And in the dictionary, whose texts are in parentheses: as they are, or in UTF-16 where they need it.
      const latin = Buffer.from(bytes).toString("latin1")
      const [, id = ""] = /\/Author (\d+) 0 R/.exec(latin) ?? []
      const [, dictionary = ""] = new RegExp(`\n${id} 0 obj\n\\(([^]*?)\\)\nendobj`).exec(latin) ?? []
      const raw = Buffer.from(dictionary.replaceAll(/\\([()\\])/g, "$1"), "latin1")
      const isWide = raw[0] === 0xfe && raw[1] === 0xff
      assert.strictEqual(isWide ? raw.subarray(2).swap16().toString("utf16le") : raw.toString("latin1"), shown)
    }
  })

  it.effect("lets other work pass while it prints a long list", function* () {
    const lines = Array.from({ length: 500 }, (_, index) => sampleLine(`Producto ${index + 1}`))
    let turns = 0
    let isDone = false
    const count = () => {
      turns += 1
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    yield* renderPdf(sampleDocument(lines))
    isDone = true
    assert.isAtLeast(turns, 20)
  })
})
