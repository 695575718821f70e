import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"

export const importInvoices = Command.make(
  "import",
  {
    file: Flags.argument("file", "FILE.csv with a line per invoice line, or FILE.ndjson with a request per line"),
    dryRun: Flags.toggle("dry-run", "Validate every line; create nothing"),
    resume: Flags.toggle("resume", "Skip the invoices that an earlier run created"),
    decimalComma: Flags.toggle("decimal-comma", "Amounts have the form 50.000,25")
  },
  Effect.fnUntraced(function* (given) {
    // Imported on demand: no other command needs this module.
    const { importFile } = yield* Effect.promise(() => import("./Importing.ts"))
    yield* importFile(given)
  })
).pipe(
  Command.withShortDescription("Create the invoices in a file, and print each outcome"),
  Flags.described(
    "Create the invoices in a file, and print each outcome. Repeated within a day, or with --resume, it creates none twice. Lines with the same order are one invoice. Columns: customer_id (or identification_type, identification_number, check_digit, legal_name, organization_type), description, quantity, unit_code, unit_price, tax_code, tax_rate, currency, due_date, metadata.NAME …",
    "folio invoices import orders.csv --dry-run",
    "folio invoices import orders.csv --resume"
  )
)
