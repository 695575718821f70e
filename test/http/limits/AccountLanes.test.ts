import { assert } from "@effect/vitest"
import { Layer, Queue, Scheduler } from "effect"
import { accountAddress } from "../../../src/runtime/Address.ts"
import { AccountLanes } from "../../../src/runtime/turns/AccountLanes.ts"
import { FakeReceiver } from "../../support/apps/Fakes.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { testMode } from "../../support/apps/Accounts.ts"
import { serviceWith } from "../../support/apps/MemoryApp.ts"
import { addCustomer, addEndpoint } from "../../support/apps/MemoryRows.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"

const asked: Array<string> = []
const noting = Layer.succeed(AccountLanes, (address) => {
  asked.push(address)
  return new Scheduler.MixedScheduler()
})

describeOn(serviceWith(noting))("an account's lane of the event loop", (it) => {
  it.effect("runs its requests, and the numbering, the steps and the webhook of its document", function* () {
    const customer = yield* addCustomer()
    yield* addEndpoint()
    yield* get("/v1/account")
    assert.deepStrictEqual(asked.splice(0), [accountAddress(testMode)])
    assert.strictEqual((yield* post("/v1/invoices", invoiceBody(customer), { "idempotency-key": "one" })).status, 202)
    yield* Queue.take((yield* FakeReceiver).arrivals)
    // The request, the account's actor with its command, the document's steps, the endpoint's actor with its delivery.
    assert.deepStrictEqual(
      asked,
      Array.from({ length: 6 }, () => accountAddress(testMode))
    )
  })
})
