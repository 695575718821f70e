import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { text } from "../Flags.ts"
import * as Flags from "../Flags.ts"

const count = (name: string, what: string) =>
  Flag.Int(name).pipe(
    Flag.withMetavar("N"),
    Flag.withDescription(`Number of ${what} that the portal requires`),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

export const enable = Command.make(
  "enable",
  {
    testSet: text("test-set-id", "ID", "Id of the test set in the authority's portal"),
    invoices: count("invoices", "invoices"),
    creditNotes: count("credit-notes", "credit notes"),
    debitNotes: count("debit-notes", "debit notes")
  },
  Effect.fnUntraced(function* (given) {
    // Imported on demand: no other command needs this module.
    const { pass } = yield* Effect.promise(() => import("./Enabling.ts"))
    yield* pass(given)
  })
).pipe(
  Command.withShortDescription("Pass the authority's test set (habilitación)"),
  Flags.described(
    "Pass the authority's test set (habilitación), which every issuer needs before its first live document. Needs a live key. Starts the test set, or resumes it with the missing documents, and shows its progress. Ctrl-C ends the display, not the test set. Without --test-set-id, shows the newest test set.",
    "folio enable --test-set-id b7d1… --invoices 30 --credit-notes 10",
    "folio enable"
  )
)
