import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { numberProcessed } from "../../src/invoices/authority/AuthorityAnswers.ts"
import { AuthorityUnavailable } from "../../src/invoices/authority/Authority.ts"
import { alone, invoiceOf, issuing } from "../support/apps/ActorsAlone.ts"
import { become } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"

const it = itOn(alone)

/** A document as a correction leaves it: numbered and without a code, after a rejection under `cufe`. */
const correctedFrom = Effect.fnUntraced(function* (id: string, cufe: string) {
  const { tables } = yield* MemoryTables
  tables.rejected.push({ invoice_id: id, cufe })
  yield* become(id, { state: "numbered", cufe: null, submitted_at: null, attempts: 0, next_action_at: 0 })
})

const processed = Effect.fail(
  new AuthorityUnavailable({ message: "A document of this number.", number_processed: numberProcessed() })
)

describe("a corrected document", () => {
  it.effect("never gets a code under which it was rejected, however fast it is corrected", function* () {
    const { key, proceed, tables } = yield* issuing
    const codes = new Set<string>()
    yield* become(key.id, { cufe: null })
    yield* proceed(key)
    for (let times = 0; times < 3; times += 1) {
      const { cufe } = yield* invoiceOf(key)
      codes.add(cufe ?? "")
      yield* correctedFrom(key.id, cufe ?? "")
      tables.documents.delete(key.id)
      yield* proceed(key)
    }
    codes.add((yield* invoiceOf(key)).cufe ?? "")
    assert.strictEqual(codes.size, 4)
  })

  it.effect(
    "ends as rejected by rule 90 if the authority already has its number, and only once that is certain",
    function* () {
      const { authority, key, proceed } = yield* issuing
      yield* correctedFrom(key.id, "ab".repeat(48))
      authority.onSubmit = () => processed
      yield* proceed(key)
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
      yield* proceed(key)
      const { authority_errors, state } = yield* invoiceOf(key)
      assert.strictEqual(state, "rejected_by_authority")
      assert.deepStrictEqual(
        authority_errors.map(({ rule }) => rule),
        ["90"]
      )
      assert.include(authority_errors[0]?.hint, "portal")
    }
  )

  it.effect("waits for its verdict if it was never corrected, until the authority knows it", function* () {
    const { authority, key, proceed } = yield* issuing
    authority.onSubmit = () => processed
    for (let attempt = 0; attempt < 6; attempt += 1) yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
  })
})
