import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { send } from "../../support/apps/Requests.ts"
import { describeOn } from "../../support/Tests.ts"
import { assertRefused } from "../inputs/Refused.ts"
import { badMoments } from "../inputs/badMoments.ts"

/** All rows except the audit log's, by identity: rows are replaced, never changed. */
const stored = Effect.map(MemoryTables, ({ tables }) =>
  Object.entries({ ...tables, auditLog: [] }).flatMap(([table, rows]) =>
    [...rows.values()].map((row) => ({ table, row }))
  )
)

describe("a bad moment", () => {
  for (const { given, ...bad } of badMoments) {
    describeOn(app)(`${bad.code}: ${bad.name}`, (it) => {
      it.effect("gets its error and stores nothing", function* () {
        yield* given
        const before = yield* stored
        const reply = yield* send(bad.sent)
        const after = yield* stored
        assert.strictEqual(after.length, before.length)
        assert.isTrue(
          after.every(({ row }, index) => row === before[index]?.row),
          "a row was changed"
        )
        yield* assertRefused(reply, bad)
        assert.notMatch(reply.text, /password|select|\bat .*\.ts/)
      })
    })
  }
})
