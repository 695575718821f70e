import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { text } from "../Flags.ts"
import * as Flags from "../Flags.ts"

const count = (name: string, what: string) =>
  Flag.Int(name).pipe(
    Flag.withMetavar("N"),
    Flag.withDescription(`How many ${what} the portal wants`),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )

export const enable = Command.make(
  "enable",
  {
    testSet: text("test-set-id", "ID", "The test set of the authority's portal"),
    invoices: count("invoices", "invoices"),
    creditNotes: count("credit-notes", "credit notes"),
    debitNotes: count("debit-notes", "debit notes")
  },
  Effect.fnUntraced(function* (given) {
    // Later, because no other command needs what this one does.
    const { pass } = yield* Effect.promise(() => import("./Enabling.ts"))
    yield* pass(given)
  })
).pipe(
  Command.withShortDescription("Pass the authority's test set (habilitación)"),
  Flags.described(
    "Pass the test set of the tax authority that every issuer passes before it issues (habilitación), with a live key. Begins it, or takes it up with what is missing, and shows how far it is. Ctrl-C ends the watching, not the test set; without --test-set-id the newest one is watched.",
    "folio enable --test-set-id b7d1… --invoices 30 --credit-notes 10",
    "folio enable"
  )
)
