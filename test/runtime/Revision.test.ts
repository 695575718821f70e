import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { ApiError } from "../../schemas/ApiError.ts"
import { Revision } from "../../src/runtime/Revision.ts"
import { fingerprint, type Messages, revisionOfMessages } from "../support/Revision.ts"

const only = (rpc: Rpc.AnyWithProps): Messages => ({
  type: "A",
  protocol: RpcGroup.make(rpc) as Messages["protocol"]
})

describe("The revision of the actors' messages", () => {
  it("equals the revision of the messages, which npm run openapi writes", () => {
    assert.strictEqual(Revision.defaultValue(), revisionOfMessages())
  })

  it("changes with a message's name, with its content, with its errors and with effect", () => {
    const messages = [
      Rpc.make("A"),
      Rpc.make("B"),
      Rpc.make("A", { payload: { a: Schema.String } }),
      Rpc.make("A", { payload: { a: Schema.optionalKey(Schema.String) } }),
      Rpc.make("A", { payload: { a: Schema.Literals(["x", "y"]) } }),
      Rpc.make("A", { payload: { a: Schema.Literals(["x", "y", "z"]) } }),
      Rpc.make("A", { success: Schema.Int }),
      Rpc.make("A", { error: ApiError })
    ]
    const found = [
      ...messages.map((rpc) => fingerprint([only(rpc)], "4.1.0")),
      fingerprint([only(messages[0]!)], "4.1.1")
    ]
    assert.lengthOf(new Set(found), messages.length + 1)
    const described = Rpc.make("A", { payload: { a: Schema.String.annotate({ description: "A letter." }) } })
    assert.strictEqual(fingerprint([only(described)], "4.1.0"), found[2])
  })
})
