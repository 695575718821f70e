import { assert } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { account, keys, otherAccount } from "../../support/apps/Accounts.ts"
import { serviceWith } from "../../support/apps/MemoryApp.ts"
import { addCustomer, addSigned, become } from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { patiently } from "../../support/apps/Until.ts"
import { bearer, fetchBytes, get, send } from "../../support/apps/Requests.ts"
import { linkTo, noKey } from "../inputs/links.ts"
import { describeOn } from "../../support/Tests.ts"
import { Limits } from "../../../src/runtime/Limits.ts"

const limits = {
  atOnce: 2,
  ofOwnerAtOnce: 1,
  waiting: { ofAsker: 3, ofOwner: 6, inAll: 20 },
  maxWait: "10 seconds"
} as const

describeOn(serviceWith(Limits.layerChanged({ printing: limits })))("a flood of requests for files", (it) => {
  it.effect("through links delays only itself, and neither the account's own key nor another account", function* () {
    const memory = yield* MemoryTables
    const customer = yield* addCustomer()
    const flooded = yield* Effect.replicateEffect(addSigned(customer), 6)
    const own = yield* addSigned(customer)
    const foreign = yield* addSigned(customer)
    yield* become(foreign.id, { account_id: otherAccount })
    for (const [key, issuer] of memory.tables.issuers) {
      memory.tables.issuers.set(key.replace(account, otherAccount), issuer)
    }

    const goesOn = Latch.makeUnsafe()
    const loaded: Array<string> = []
    memory.onCall = (name) => {
      if (name === "Invoices.load") loaded.push(name)
      return name === "Invoices.load" && loaded.length === 1 ? goesOn.await : Effect.void
    }
    const asked = yield* Effect.forEach(flooded, ({ id }) =>
      Effect.forkChild(send({ path: linkTo(id), headers: noKey }))
    )
    // A single request is under way, three wait, and the last two get an error.
    const refused = yield* Effect.forEach(asked.slice(4), Fiber.join)
    for (const { headers, json, status } of refused) {
      assert.deepStrictEqual([status, json.error.code, headers["retry-after"]], [429, "rate_limited", "2"])
      assert.match(json.error.message, /^This key or address has 3 documents waiting already/)
    }
    const other = yield* fetchBytes({
      path: `/v1/invoices/${foreign.id}/pdf`,
      headers: bearer(keys.otherAccount)
    })
    assert.strictEqual(other.status, 200, "another account has its turn while all of that waits")
    const xml = yield* patiently(get(`/v1/invoices/${own.id}/xml`))
    assert.strictEqual(xml.status, 200, "an XML does not wait for the PDFs of its own account")
    const mine = yield* Effect.forkChild(get(`/v1/invoices/${own.id}/pdf`))
    yield* memory.until(() => memory.count("Invoices.imprint") >= 9)
    yield* goesOn.open
    assert.strictEqual((yield* Fiber.join(mine)).status, 200)
    for (const fiber of asked.slice(0, 4)) assert.strictEqual((yield* Fiber.join(fiber)).status, 200)
  })
})
