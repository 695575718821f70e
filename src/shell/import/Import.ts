import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"

export const importInvoices = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("FILE.csv with one line an invoice, or FILE.ndjson with one request a line")
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Check every line, create nothing"),
      Flag.withDefault(false)
    ),
    resume: Flag.Boolean("resume").pipe(
      Flag.withDescription("Pass over what an earlier run has created"),
      Flag.withDefault(false)
    ),
    decimalComma: Flag.Boolean("decimal-comma").pipe(
      Flag.withDescription("Amounts are written 50.000,25"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* (given) {
    // Later, because no other command needs what an import does.
    const { importFile } = yield* Effect.promise(() => import("./Importing.ts"))
    yield* importFile(given)
  })
).pipe(
  Command.withShortDescription("Create the invoices of a file, with a verdict for each line"),
  Command.withDescription(
    "Create the invoices of a file, with a verdict for each line. Repeated within a day, or with --resume, it creates none twice. Lines with the same order are one invoice. Columns: customer_id (or identification_type, identification_number, check_digit, legal_name, organization_type), description, quantity, unit_code, unit_price, tax_code, tax_rate, currency, due_date, metadata.NAME …"
  ),
  Command.withExamples([
    { command: "folio invoices import orders.csv --dry-run", description: "Check all lines" },
    { command: "folio invoices import orders.csv --resume", description: "Create what is not created yet" }
  ])
)
