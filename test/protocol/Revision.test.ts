import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { ApiError } from "../../schemas/ApiError.ts"
import { AccountEntity } from "../../src/protocol/AccountEntity.ts"
import { InvoiceEntity, WebhookEndpointEntity } from "../../src/protocol/Notify.ts"
import { Revision } from "../../src/protocol/Revision.ts"

const words = new Set(["description", "title", "examples"])

/** A schema as its form alone: what descriptions say is nothing that a process has to understand. */
const formOf = (schema: Schema.Top) =>
  JSON.parse(JSON.stringify(Schema.toJsonSchemaDocument(schema), (key, value) => (words.has(key) ? undefined : value)))

interface Messages {
  readonly type: string
  readonly protocol: { readonly requests: ReadonlyMap<string, Rpc.AnyWithProps> }
}

/** What all messages between actors depend on: what they hold, and effect, which carries them. */
const fingerprint = (entities: ReadonlyArray<Messages>, effect: string) => {
  const forms = entities.map(({ protocol, type }) => [
    type,
    [...protocol.requests.values()].map((rpc) => [
      rpc._tag,
      formOf(rpc.payloadSchema),
      formOf(rpc.successSchema),
      formOf(rpc.errorSchema)
    ])
  ])
  return createHash("sha256")
    .update(JSON.stringify([effect, forms]))
    .digest("hex")
    .slice(0, 8)
}

const only = (rpc: Rpc.AnyWithProps): Messages => ({
  type: "A",
  protocol: RpcGroup.make(rpc) as Messages["protocol"]
})

const effectVersion = String(
  JSON.parse(Fs.readFileSync(Path.resolve(import.meta.dirname, "../../package.json"), "utf8")).dependencies.effect
)
const entities = [AccountEntity, InvoiceEntity, WebhookEndpointEntity]

describe("The revision of the actors' messages", () => {
  it("is that of the messages: put the value that is found into src/protocol/Revision.ts", () => {
    assert.strictEqual(Revision.defaultValue(), fingerprint(entities, effectVersion))
  })

  it("changes with a message's name, with what it holds, with its errors and with effect", () => {
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
