import { Effect, Layer, Schedule } from "effect"
import { documentKinds, kindOf } from "../../../schemas/DocumentKinds.ts"
import { statusOf } from "../../invoices/rules/InvoiceLifecycle.ts"
import type { ListedDocument } from "../../invoices/store/DocumentList.ts"
import { Invoices } from "../../invoices/store/Invoices.ts"
import type { DocumentFilter } from "../../invoices/store/InvoiceFilter.ts"
import { kindWords, statusWords } from "../frame/DocumentWords.ts"
import type { Refusal } from "../frame/Refusal.ts"
import { page } from "../frame/PortalRoutes.ts"
import { makeTurns } from "../frame/PortalTurns.ts"
import type { Visit } from "../frame/Visit.ts"
import { makeArchive } from "./Archive.ts"
import { byteOrderMark, type Cell, csvLines } from "./Csv.ts"
import { askedOf, filterOf, idsOf, pageOfQuery } from "./Filter.ts"

/** The most documents of a CSV file. */
export const exportMax = 10_000
/** The most documents of a ZIP file. Folio renders the PDF of each. */
export const archiveMax = 50
const pageSize = 500

/** The columns of a CSV file: title and cell. */
const columns = ({ t }: Visit): ReadonlyArray<readonly [title: string, cell: (row: ListedDocument) => Cell]> => [
  [t("Number", "Número"), ({ full_number }) => full_number ?? ""],
  [t("Type", "Tipo"), ({ kind }) => kindWords(t, kind)],
  [t("Status", "Estado"), ({ state }) => statusWords(t, statusOf(state))],
  [t("Customer", "Cliente"), ({ customer_name }) => customer_name],
  [t("Identification", "Identificación"), ({ customer_number }) => customer_number],
  [t("Issue date", "Fecha de emisión"), ({ issue_date }) => issue_date ?? ""],
  [t("Issue time", "Hora de emisión"), ({ issue_time }) => issue_time?.slice(0, 8) ?? ""],
  [t("Currency", "Moneda"), ({ currency }) => currency],
  [t("Before taxes", "Antes de impuestos"), ({ line_extension_amount: amount }) => ({ amount })],
  [t("Taxes", "Impuestos"), ({ tax_amount: amount }) => ({ amount })],
  [t("Total", "Total"), ({ payable_amount: amount }) => ({ amount })],
  ["CUFE / CUDE", ({ cufe }) => cufe ?? ""],
  ["Id", ({ id }) => id],
  [t("Created (UTC)", "Creado (UTC)"), ({ created_at }) => created_at.toISOString()]
]

/** The documents of an export: the selected documents, or else all documents of the list. */
const chosen = Effect.fnUntraced(function* (visit: Visit) {
  const { query } = visit
  const ids = idsOf(query.getAll("id"))
  const { filter } = yield* filterOf(visit, askedOf(query))
  const picked: DocumentFilter = { ...filter, ids }
  return { hasChosen: ids.length > 0, filter: ids.length > 0 ? picked : filter }
})

const csv = Effect.fnUntraced(function* (visit: Visit) {
  const documents = yield* Invoices
  const { filter } = yield* chosen(visit)
  const table = columns(visit)
  let text = byteOrderMark + csvLines(visit.language, [table.map(([title]) => title)])
  let last: string | undefined
  for (let count = 0; count < exportMax; count += pageSize) {
    const limit = Math.min(pageSize, exportMax - count)
    const cursor = last === undefined ? null : ({ direction: "after", id: last } as const)
    const { has_more, rows } = yield* visit.read((account) => documents.listAll(account, { limit, cursor }, filter))
    text += csvLines(
      visit.language,
      rows.map((row) => table.map(([, cell]) => cell(row)))
    )
    last = rows.at(-1)?.id
    if (!has_more || last === undefined) break
  }
  return {
    contentType: "text/csv; charset=utf-8",
    body: text,
    fileName: `${visit.t("documents", "documentos")}.csv`
  }
})

/** Retries a file for some seconds if its queue is full or the session's key is over its rate limit. */
const inTime = <A, R>(paper: Effect.Effect<A, Refusal, R>) =>
  Effect.retry(paper, {
    times: 5,
    schedule: Schedule.spaced("1 second"),
    while: ({ status }) => status === 429 || status === 503
  })

const safeName = (row: ListedDocument) => (row.full_number ?? row.id).replaceAll(/[^\w-]/g, "_")

const archive = Effect.fnUntraced(function* (visit: Visit) {
  const { query, t } = visit
  const documents = yield* Invoices
  const { filter, hasChosen } = yield* chosen(visit)
  const request = { ...pageOfQuery(query, archiveMax), ...(hasChosen ? { cursor: null } : {}) }
  const { rows } = yield* visit.read((account) => documents.listAll(account, request, filter))
  const files = makeArchive()
  const missing: Array<string> = []
  // Reads files one after the other. They queue like the files of any client, and no other request waits for them.
  for (const row of rows) {
    for (const kind of ["xml", "pdf"] as const) {
      const path = `${documentKinds[kindOf(row.id)].path}/${row.id}/${kind}`
      yield* visit.file(path).pipe(
        inTime,
        Effect.flatMap(({ body }) => files.add(`${row.kind}-${safeName(row)}.${kind}`, body, kind === "pdf")),
        Effect.catchTag("Refusal", ({ message }) =>
          Effect.sync(() => missing.push(`${row.full_number ?? row.id} ${kind.toUpperCase()}: ${message}`))
        )
      )
    }
  }
  if (missing.length > 0 || rows.length === 0) {
    const title = t("These files are missing:", "Faltan estos archivos:")
    const text = `${byteOrderMark}${[title, "", ...missing].join("\r\n")}\r\n`
    yield* files.add(t("missing.txt", "faltantes.txt"), new TextEncoder().encode(text))
  }
  return { contentType: "application/zip", body: yield* files.end, fileName: `${t("documents", "documentos")}.zip` }
})

// Folio builds the whole ZIP file in memory before sending it: megabytes of files.
const inTurn = makeTurns("export", 4)

/** The exports of the document list. */
export const layer = Layer.mergeAll(
  page("/portal/documents/export.csv", (visit) => inTurn(visit, csv(visit))),
  page("/portal/documents/export.zip", (visit) => inTurn(visit, archive(visit)))
)
