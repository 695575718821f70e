import { assert, describe, it } from "@effect/vitest"
import { chosen } from "./Chosen.ts"
import { deck } from "./Faults.ts"
import { hostileKinds } from "./parties/HostileInputs.ts"

describe("The choice of a soak's kinds", () => {
  it("keeps the listed kinds, as often as each is known", () => {
    assert.deepStrictEqual(chosen("faults", "fault", deck, "stop,kill"), ["kill", "stop", "kill", "kill"])
    assert.deepStrictEqual(chosen("hostile", "kind", hostileKinds, "poll,hoard"), ["hoard", "poll"])
  })

  it("throws on an unknown kind, and names all known kinds", () => {
    assert.throws(
      () => chosen("hostile", "kind", hostileKinds, "hoard,pole"),
      "--hostile names no kind: pole. Choose from: hoard, unread, input, read, key, poll, page, command."
    )
    assert.throws(() => chosen("faults", "fault", deck, "kil"), "--faults names no fault: kil. Choose from: kill, ")
  })
})
