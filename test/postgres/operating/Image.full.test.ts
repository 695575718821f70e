import { assert, describe } from "@effect/vitest"
import { freshDatabase } from "../../support/database/Postgres.ts"
import { runImage } from "../../support/deploy/RunImage.ts"
import { it } from "../../support/Tests.ts"

describe("The image of folio init docker", () => {
  it.live(
    "serves with read-only sources and without privileges, passes its health check, and ends with 0",
    function* () {
      const { before, code, ready, said, user } = yield* runImage(yield* freshDatabase, false)
      assert.strictEqual(user, "node")
      assert.deepStrictEqual({ before, ready, code }, { before: 1, ready: 0, code: 0 }, said)
    }
  )
})
