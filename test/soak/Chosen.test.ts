import { assert, describe, it } from "@effect/vitest"
import { chosen } from "./Chosen.ts"
import { deck } from "./Faults.ts"
import { hostileKinds } from "./parties/HostileInputs.ts"

describe("What a soak is told to do", () => {
  it("is done as often as it is known", () => {
    assert.deepStrictEqual(chosen("faults", "fault", deck, "stop,kill"), ["kill", "stop", "kill", "kill"])
    assert.deepStrictEqual(chosen("hostile", "kind", hostileKinds, "poll,hoard"), ["hoard", "poll"])
  })

  it("is refused when it is not known, with all that is", () => {
    assert.throws(
      () => chosen("hostile", "kind", hostileKinds, "hoard,pole"),
      "--hostile names no kind: pole. Choose from: hoard, unread, input, read, key, poll, page, command."
    )
    assert.throws(() => chosen("faults", "fault", deck, "kil"), "--faults names no fault: kil. Choose from: kill, ")
  })
})
