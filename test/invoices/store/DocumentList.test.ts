import { Invoices } from "../../../src/invoices/store/Invoices.ts"
import { otherAccount, rangeId, testMode } from "../../support/apps/Accounts.ts"
import { world } from "../../support/apps/MemoryApp.ts"
import { documentsOf, holdsItsPromises, isMoving } from "../../support/documents/ListedDocuments.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { untouched } from "../../support/memory/MemoryNotes.ts"
import { describeOn } from "../../support/Tests.ts"

describeOn(world)("The list of documents of all kinds, in memory", (it) => {
  it.effect("returns the newest first, in pages, by each filter, within one account and mode", function* () {
    const { tables } = yield* MemoryTables
    for (const row of documentsOf(testMode, rangeId(testMode))) {
      const rest = { exchange_rate: null, details: null, invoice_id: null }
      const next_action_at = isMoving(row.state) ? Infinity : null
      tables.invoices.set(row.id, { ...untouched, ...rest, ...row, next_action_at })
    }
    const list = yield* Invoices
    yield* holdsItsPromises(list, testMode, { ...testMode, account_id: otherAccount })
    yield* holdsItsPromises(list, testMode, { ...testMode, livemode: true })
  })
})
