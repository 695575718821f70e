import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Ids } from "../../src/database/Ids.ts"
import { startOfTest } from "../support/apps/Accounts.ts"
import { colombia } from "../support/authority/LiveAccounts.ts"
import * as MemoryStore from "../support/memory/MemoryStore.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { describeOn } from "../support/Tests.ts"
import { keysAndCreation, numbering, transitions } from "./Documents.ts"
import { deliveries, events, takenWithTheEvent } from "./Webhooks.ts"
import { Contract } from "./World.ts"

const contract = Layer.effect(
  Contract,
  Effect.map(MemoryTables, ({ tables }) =>
    Contract.of({
      pass: (seconds) => TestClock.adjust(`${seconds} seconds`),
      shows: (look, expected) => Effect.map(look, (found) => assert.deepStrictEqual(found, expected)),
      transitions: ({ id }) =>
        Effect.sync(() =>
          tables.transitions
            .filter(({ invoice_id }) => invoice_id === id)
            .map(({ command, version }) => [version, command] as const)
        )
    })
  )
)

const layer = Layer.merge(Ids.layer, contract).pipe(
  Layer.provideMerge(MemoryStore.layer),
  Layer.provide(Layer.mergeAll(colombia, NodeCrypto.layer)),
  Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(startOfTest)))
)

const describeMemory = describeOn(layer)

describeMemory("Idempotency and InvoiceCreation in memory", keysAndCreation)
describeMemory("Numbering in memory", numbering)
describeMemory("Transitions in memory", transitions)
describeMemory("Deliveries in memory", deliveries)
describeMemory("Deliveries taken with their event in memory", takenWithTheEvent)
describeMemory("Events in memory", events)
