/* The PDF and the email of a document in Syldavia. The default printer writes Spanish and names Colombian codes. */
import { type FiscalDocument, Printer } from "@folio-einvoicing/service/ports"
import { Effect, Layer } from "effect"
import { zipSync } from "fflate"
import { buffer } from "node:stream/consumers"
import PdfDocument from "pdfkit"

const titles = { invoice: "Invoice", credit_note: "Credit note", debit_note: "Debit note" }

const factsOf = ({ acquirer, cufe, currency, full_number, issue_date, issuer, kind, totals }: FiscalDocument) => ({
  title: `${titles[kind]} ${full_number} of ${issue_date}`,
  lines: [
    `From ${issuer.legal_name}, ${issuer.identification.number}`,
    `To ${acquirer.legal_name}, ${acquirer.identification.number}`,
    `Total ${totals.payable_amount} ${currency}`,
    `Code ${cufe}`
  ]
})

/** Prints on the event loop, because this document is small. Print longer documents in a worker thread. */
const print = (document: FiscalDocument) =>
  Effect.promise(async () => {
    const { lines, title } = factsOf(document)
    // The file has the document's date, so that the same document gives the same bytes.
    const sheet = new PdfDocument({ size: "A5", info: { Title: title, CreationDate: new Date(document.issue_date) } })
    sheet.fontSize(16).text(title).fontSize(10).text(lines.join("\n"))
    for (const { description, line_extension_amount } of document.lines) {
      sheet.text(`${description}: ${line_extension_amount}`)
    }
    sheet.end()
    return new Uint8Array(await buffer(sheet))
  })

export const printer = Layer.succeed(
  Printer,
  Printer.of({
    pdf: print,
    emailPackage: Effect.fnUntraced(function* (document, signed) {
      const { lines, title } = factsOf(document)
      const files = [
        { name: `${document.full_number}.jws`, bytes: signed },
        { name: `${document.full_number}.pdf`, bytes: yield* print(document) }
      ]
      const contents = Object.fromEntries(files.map(({ bytes, name }) => [name, bytes]))
      const text = `${lines.join("\n")}\n`
      return {
        subject: title,
        text,
        html: `<pre>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</pre>`,
        from_name: document.issuer.legal_name,
        reply_to: document.issuer.email,
        archive: {
          name: `${document.full_number}.zip`,
          bytes: zipSync(contents, { mtime: new Date(document.issue_date) })
        },
        files
      }
    })
  })
)
