import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { XMLParser, XMLValidator } from "fast-xml-parser"
import { pbkdf2 } from "node:crypto"
import { promisify } from "node:util"
import { renderPdf } from "../../../src/documents/print/Pdf.ts"
import type { FiscalDocument } from "../../../src/documents/ubl/FiscalDocument.ts"
import { pdfDrawings, pdfPages, type Printed } from "../../support/PdfText.ts"
import { sampleCorrection, sampleDocument, sampleLine } from "../samples.ts"
import { it } from "../../support/Tests.ts"
import { creditNote, debitNote, everything, exported, noteOnPeriod, ofLines } from "./PrintedSamples.ts"

const pagesOf = (document: FiscalDocument) => Effect.map(renderPdf(document), pdfPages)

const textOf = (pages: ReadonlyArray<ReadonlyArray<Printed>>) =>
  pages
    .flat()
    .map(({ text }) => text)
    .join("\n")

/** The text without line ends, so that wrapped text is found. */
const flat = (text: string) => text.replaceAll(/\s+/g, " ")

const says = Effect.fnUntraced(function* (document: FiscalDocument, expected: ReadonlyArray<string>) {
  const text = flat(textOf(yield* pagesOf(document)))
  for (const words of expected) assert.include(text, words)
  return text
})

const one = sampleLine("Consultoría en facturación")

const pictures = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString("latin1")
    .match(/\/Subtype \/Image/g)?.length ?? 0

/** Raw codes that a reader of a printed document does not understand. */
const rawCodes = ["R-99-PN", "-05:00", "2026-", "O-13", "999\n", "KGM", "NAR", "HUR", "undefined", "null", "NaN"]

const hardWork = promisify(pbkdf2)

describe("the printed document", () => {
  it.effect("shows the required content of an invoice", function* () {
    const text = yield* says(sampleDocument([one]), [
      "Factura electrónica de venta SETP 990000001",
      "20 de noviembre de 2026, 10:00 a. m.",
      "Folio Sandbox S.A.S. NIT 900.373.115-3",
      "Carrera 7 # 71-21, Bogotá, D.C. · facturas@folio.test",
      "Gran contribuyente · Autorretenedor",
      "Total a pagar a 30 días, hasta el 20 de diciembre de 2026 $ 119.000,00",
      "Cliente Ñandú & Compañía S.A.S. NIT 800.197.268-4",
      "Calle 100 # 7-33, Santa Fé de Antioquia, Antioquia",
      "compras@cliente.test",
      "Pago Crédito, tarjeta de crédito",
      "Descripción Cantidad Precio IVA Valor",
      "Consultoría en facturación 2 h $ 50.000,00 19 % $ 100.000,00",
      "Subtotal, 1 ítem $ 100.000,00",
      "IVA 19 % sobre $ 100.000,00 $ 19.000,00",
      "Total a pagar $ 119.000,00",
      "Ciento diecinueve mil pesos",
      `CUFE ${sampleDocument([]).cufe}`,
      "Resolución DIAN No. 18760000001, prefijo SETP, del 990.000.000 al 995.000.000",
      "vigente del 19 de enero de 2019 al 19 de enero de 2030.",
      "venta SETP990000001; el documento con validez legal es el XML firmado",
      "Página 1 de 1",
      "Documento de prueba, sin validez fiscal"
    ])
    for (const word of ["CUDE", "contingencia", "Tasa", "Total impuestos", "«?»", ...rawCodes]) {
      assert.notInclude(text, word)
    }
  })

  it.effect("marks every page of an invalid document, without a QR code and without the word valid", function* () {
    const valid = ofLines(60)
    assert.isTrue(pdfDrawings(yield* renderPdf(valid)).every((drawn) => drawn.includes("/Qr Do")))
    for (const [invalid, mark, foot] of [
      ["rejected", "Rechazada por la DIAN, sin validez", `La DIAN rechazó la factura electrónica de venta`],
      ["failed", "Fallida, sin validez", "falló y no se emitió"]
    ] as const) {
      const bytes = yield* renderPdf({ ...valid, invalid })
      const pages = pdfPages(bytes)
      assert.isAbove(pages.length, 1)
      for (const [index, drawn] of pdfDrawings(bytes).entries()) {
        const text = flat(textOf([pages[index] ?? []]))
        // Once in the band at the top, and once large across the page.
        assert.strictEqual(text.split(mark).length, 3, text)
        assert.include(text, foot)
        assert.notInclude(drawn, "/Qr Do")
        for (const words of ["código QR", "con validez legal"]) assert.notInclude(text, words)
      }
    }
  })

  it.effect("shows all optional content of an invoice", function* () {
    const text = yield* says(everything, [
      "Tienda Andina Comercial Andina S.A.S. · NIT 900.373.115-3",
      "Calle 10 # 5-51, 110321, Bogotá, D.C. · 601 555 0100 facturas@tienda.test",
      "Responsable de IVA · Gran contribuyente · Actividades 4711, 4719 Matrícula mercantil 02345678",
      "Crédito, tarjeta de crédito Referencia PAGO-1001 Efectivo Referencia CAJA-9",
      "Bancolombia, ahorros 123-456789-00 Bre-B: facturas@tienda.test",
      "Orden de compra OC-7781 2 de noviembre de 2026",
      "Remisión REM-5512 20 de noviembre de 2026",
      "Período Del 1 al 30 de noviembre de 2026",
      "Entrega 22 de noviembre de 2026 Bodega 14, Zona Franca de Fontibón, Bogotá, D.C.",
      "CONS-01 Consultoría de implementación Garantía de un año 10 h $ 100.000,00 IVA 19 % $ 1.000.000,00",
      "Marca Andina, Modelo Madurado",
      "Descuento de $ 1.491,17: cliente frecuente, 10 % sobre $ 14.911,59",
      "Cargo de $ 77,31: empaque",
      "Período: del 1 al 30 de noviembre de 2026",
      "0,345 kg $ 43.222,123456 IVA exento $ 13.420,42",
      "IVA 19 % sobre $ 10.000,00: $ 1.900,00",
      "Base especial: Artículo 462-1 del Estatuto Tributario",
      "Contrato de servicios AIU por concepto de: Servicio de aseo y cafetería en las oficinas de Bogotá",
      "Bolsas: 2 und × $ 66,00 = $ 132,00",
      "Por cuenta de Productor Andino S.A.S., NIT 800.197.268-4",
      "2 Número de artículos",
      "Sin costo. Valor comercial: $ 5.000,00",
      "Subtotal, 5 ítems $ 1.213.420,42",
      "Descuento condicionado: pronto pago, 2 % sobre $ 1.000.000,00 − $ 20.000,00",
      "Descuento: promoción − $ 14.070,42",
      "Cargo: flete $ 8.000,00",
      "Total descuentos − $ 34.070,42",
      "IVA 19 % sobre $ 1.115.000,00 $ 211.850,00",
      "IVA 0 % (exento) sobre $ 13.420,42 $ 0,00",
      "Bolsas, 2 und × $ 66,00 $ 132,00",
      "Total impuestos $ 211.982,00",
      "Ajuste por redondeo − $ 0,42",
      "Total factura $ 1.399.331,58",
      "Anticipo del 1 de noviembre de 2026, RC-17 − $ 20.000,00",
      "Redondeo del pago en efectivo − $ 31,58",
      "Saldo por pagar $ 1.379.300,00",
      "ReteRenta 2,5 % sobre $ 1.000.000,00 − $ 25.000,00",
      "ReteICA 0,966 % sobre $ 1.000.000,00 − $ 9.660,00",
      "Total retenciones − $ 34.660,00",
      "Neto a recibir $ 1.344.640,00",
      "Notas Gracias por su compra. Se asimila en sus efectos legales a una letra de cambio."
    ])
    for (const word of [...rawCodes, "Customer", "Amount"]) assert.notInclude(text, word)
  })

  it.effect("has one headline: the due amount and its date", function* () {
    yield* says({ ...everything, payment_means: { code: "10", type: "1" } }, [
      "Saldo por pagar de contado, el 21 de noviembre de 2026 $ 1.379.300,00"
    ])
    yield* says({ ...everything, payment_means: { code: "10", type: "2", due_date: "2026-11-22" } }, [
      "Saldo por pagar a 1 día, hasta el 22 de noviembre de 2026"
    ])
    yield* says({ ...everything, payment_means: { code: "10", type: "2", due_date: "2026-11-20" } }, [
      "Saldo por pagar hasta el 20 de noviembre de 2026"
    ])
  })

  it.effect("puts long instructions next to the totals", function* () {
    const payment_instructions = `Consigne en la cuenta de ahorros 123-456789-00.\n${"Envíe el comprobante. ".repeat(9)}`
    yield* says({ ...everything, issuer: { ...everything.issuer, payment_instructions } }, [
      "Cómo pagar Consigne en la cuenta de ahorros 123-456789-00. Envíe el comprobante."
    ])
  })

  it.effect("shows the mark of a test in the test environment alone", function* () {
    const live = flat(textOf(yield* pagesOf(sampleDocument([one], { environment: "1" }))))
    assert.notInclude(live, "prueba")
    assert.include(live, "https://catalogo-vpfe.dian.gov.co/")
    const pages = yield* pagesOf(ofLines(60))
    assert.isAbove(pages.length, 2)
    for (const texts of pages) assert.include(flat(textOf([texts])), "Documento de prueba, sin validez fiscal")
  })

  it.effect("shows for a note the corrected invoice and the reason", function* () {
    const corrected = [
      "Factura que corrige SETP990000000, 19 de noviembre de 2026",
      "El cliente devolvió la mercancía.",
      `CUFE ${sampleCorrection.invoice.cufe}`,
      `CUDE ${sampleDocument([]).cufe}`
    ]
    const credit = yield* says(creditNote, [
      ...corrected,
      "Nota crédito electrónica NC 12",
      "Total de la nota crédito, a favor del cliente $ 1.399.331,58",
      "Anulación de factura electrónica. El cliente devolvió la mercancía."
    ])
    for (const word of ["Resolución", "Bancolombia", "Total a pagar", ...rawCodes]) assert.notInclude(credit, word)
    yield* says(debitNote, [...corrected, "Nota débito electrónica ND 3", "Gastos por cobrar.", "Bancolombia"])
    yield* says(noteOnPeriod, [
      "Motivo Sin factura de referencia, del 1 al 30 de noviembre de 2026",
      "Anulación de factura electrónica. El cliente devolvió la mercancía."
    ])
  })

  it.effect("uses Spanish and English for a buyer abroad", () =>
    says(exported, [
      "Factura electrónica de venta Electronic sales invoice FE 1042",
      "21 de noviembre de 2026, 10:42 a. m. November 21, 2026, 10:42 a.m.",
      "Bogotá, D.C., Colombia",
      "Balance due in 30 days, by December 21, 2026 USD 1.379.300,00",
      "Cliente / Customer Acme Coffee Importers Inc. NIT de otro país US-98-7654321",
      "1200 Brickell Avenue, Miami, FL, Estados Unidos",
      "Crédito, tarjeta de crédito Credit, credit card",
      "Incoterm FOB, Franco a bordo / free on board",
      "Moneda / Currency Dólar estadounidense (USD) 1 USD = $ 4.100,50",
      "Descripción Description Cantidad Quantity Precio USD Price Impuestos Taxes Valor USD Amount",
      "100.000,00 IVA 19 % 1.000.000,00",
      "Total factura / Invoice total USD 1.399.331,58",
      "Saldo por pagar / Balance due USD 1.379.300,00",
      "IVA 19 %, base USD 1.115.000,00"
    ])
  )

  it.effect("shows the date of an exchange rate", () =>
    says({ ...exported, exchange_rate_date: "2026-10-30" }, ["1 USD = $ 4.100,50 30 de octubre de 2026"])
  )

  it.effect("shows contingency", () =>
    says({ ...everything, in_contingency: true }, ["Expedida en contingencia (tipo 04)"])
  )

  it.effect("shows every line once, on numbered pages that each repeat the head", function* () {
    const document = ofLines(500)
    const pages = yield* pagesOf(document)
    assert.isAbove(pages.length, 10)
    assert.deepStrictEqual(
      [...textOf(pages).matchAll(/Producto (\d+) de la lista/g)].map(([, number]) => Number(number)),
      document.lines.map((_, index) => index + 1)
    )
    for (const [index, texts] of pages.entries()) {
      const here = texts.map(({ text: words }) => words)
      assert.include(here, `Página ${index + 1} de ${pages.length}`)
      assert.include(here, document.cufe)
      const hasLines = here.some((words) => words.startsWith("Producto "))
      assert.strictEqual(here.includes("Descripción"), hasLines, `page ${index + 1}`)
      if (index > 0) assert.includeMembers(here, ["Tienda Andina", "NIT 900.373.115-3"])
    }
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
    const text = yield* says(sampleDocument([sampleLine(description)]), [`Valor ${shown}`])
    assert.strictEqual(text.includes("Los caracteres que no pueden imprimirse se muestran como «?»"), !isWhole)
    assert.notInclude(text, "\ufffd")
    assert.notInclude(text, "\u0000")
  })

  it.effect("keeps each character, where two characters look the same", function* () {
    for (const word of ["5 µm", "5 μm", "5\u00a0µm"]) {
      const text = textOf(yield* pagesOf(sampleDocument([sampleLine(word)])))
      assert.include(text, word.replace("\u00a0", " "))
    }
  })

  it.effect("shows a logo once, and omits a logo that cannot be read", function* () {
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    const document = ofLines(60)
    const logo = Buffer.from(png, "base64")
    const first = yield* renderPdf(document, logo)
    // The first picture has the colours, the second one the transparency.
    assert.strictEqual(pictures(first), 2)
    // However long it takes to unpack the logo, because other tasks keep its thread busy.
    const busy = Array.from({ length: 8 }, () => hardWork("a", "b", 100_000, 32, "sha512"))
    assert.isTrue(Buffer.from(yield* renderPdf(document, logo)).equals(first))
    yield* Effect.promise(() => Promise.all(busy))
    assert.strictEqual(pictures(yield* renderPdf(document, Buffer.from("GIF89a"))), 0)
  })

  it.effect("has the same bytes for the same document, at any time", function* () {
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

  it.effect("contains valid metadata in XML, whatever the name of the issuer", function* () {
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
      // The dictionary has the name too: its texts are in parentheses, plain or in UTF-16 if needed.
      const latin = Buffer.from(bytes).toString("latin1")
      const [, id = ""] = /\/Author (\d+) 0 R/.exec(latin) ?? []
      const [, dictionary = ""] = new RegExp(`\n${id} 0 obj\n\\(([^]*?)\\)\nendobj`).exec(latin) ?? []
      const raw = Buffer.from(dictionary.replaceAll(/\\([()\\])/g, "$1"), "latin1")
      const isWide = raw[0] === 0xfe && raw[1] === 0xff
      assert.strictEqual(isWide ? raw.subarray(2).swap16().toString("utf16le") : raw.toString("latin1"), shown)
    }
  })

  it.effect("lets other work run while it prints a long list", function* () {
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
