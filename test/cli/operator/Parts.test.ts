import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { serve } from "../../../src/service/Service.ts"
import { SettingsError } from "../../../src/runtime/Setting.ts"
import * as Borduria from "../../support/authority/Borduria.ts"
import { it } from "../../support/Tests.ts"

describe("The parts of a team", () => {
  it.effect("lack a printer if the profile is of another country", function* () {
    const error = yield* Effect.flip(serve({ profile: Borduria.layer }))
    assert.instanceOf(error, SettingsError)
    assert.match(error.message, /needs a printer of its own/)
  })
})
