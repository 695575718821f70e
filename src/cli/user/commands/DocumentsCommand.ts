import * as Command from "effect/cli/Command"
import { creditNotes, debitNotes, invoices as invoice, type Kind } from "../documents/Kinds.ts"
import { importInvoices } from "../import/Import.ts"
import { annul, cancel, correct, email, retry } from "./documents/Change.ts"
import { create, validate } from "./documents/Create.ts"
import { file, get, list, timeline } from "./documents/Read.ts"

/** The commands that all kinds of documents have. */
const commandsOf = (kind: Kind) =>
  [
    create(kind),
    get(kind),
    list(kind),
    timeline(kind),
    file(kind, "pdf"),
    file(kind, "xml"),
    retry(kind),
    correct(kind),
    cancel(kind),
    email(kind)
  ] as const

const exampleOf = (kind: Kind) => Command.withExamples([{ command: `folio ${kind.command} list` }])

export const invoices = Command.make(invoice.command).pipe(
  Command.withDescription("Validate, create, import, list, show and annul invoices"),
  Command.withSubcommands([validate(invoice), ...commandsOf(invoice), annul(invoice), importInvoices]),
  exampleOf(invoice)
)

const notes = (kind: Kind, description: string) =>
  Command.make(kind.command).pipe(
    Command.withDescription(description),
    Command.withSubcommands(commandsOf(kind)),
    exampleOf(kind)
  )

export const creditNoteCommands = notes(creditNotes, "Create, list, show, download and email credit notes")
export const debitNoteCommands = notes(debitNotes, "Create, list, show, download and email debit notes")
