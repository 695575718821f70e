import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"

export const importInvoices = Command.make(
  "import",
  {
    file: Flags.argument("file", "FILE.csv with one line an invoice, or FILE.ndjson with one request a line"),
    dryRun: Flags.toggle("dry-run", "Check every line, create nothing"),
    resume: Flags.toggle("resume", "Pass over what an earlier run has created"),
    decimalComma: Flags.toggle("decimal-comma", "Amounts are written 50.000,25")
  },
  Effect.fnUntraced(function* (given) {
    // Later, because no other command needs what an import does.
    const { importFile } = yield* Effect.promise(() => import("./Importing.ts"))
    yield* importFile(given)
  })
).pipe(
  Command.withShortDescription("Create the invoices of a file, with a verdict for each line"),
  Flags.described(
    "Create the invoices of a file, with a verdict for each line. Repeated within a day, or with --resume, it creates none twice. Lines with the same order are one invoice. Columns: customer_id (or identification_type, identification_number, check_digit, legal_name, organization_type), description, quantity, unit_code, unit_price, tax_code, tax_rate, currency, due_date, metadata.NAME …",
    "folio invoices import orders.csv --dry-run",
    "folio invoices import orders.csv --resume"
  )
)
