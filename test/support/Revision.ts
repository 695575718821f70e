import { Schema } from "effect"
import type { Rpc } from "effect/rpc"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { AccountEntity } from "../../src/accounts/AccountEntity.ts"
import { InvoiceEntity } from "../../src/invoices/InvoiceEntity.ts"
import { WebhookEndpointEntity } from "../../src/webhooks/WebhookEndpointEntity.ts"

const words = new Set(["description", "title", "examples"])

/** The form of a schema without its descriptions, which a process does not need to understand. */
const formOf = (schema: Schema.Top) =>
  JSON.parse(JSON.stringify(Schema.toJsonSchemaDocument(schema), (key, value) => (words.has(key) ? undefined : value)))

export interface Messages {
  readonly type: string
  readonly protocol: { readonly requests: ReadonlyMap<string, Rpc.AnyWithProps> }
}

/**
 * Fingerprint of everything that messages between actors depend on: their content, and the version of effect, which
 * carries them.
 */
export const fingerprint = (entities: ReadonlyArray<Messages>, effect: string) => {
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

const effectVersion = String(
  JSON.parse(Fs.readFileSync(Path.resolve(import.meta.dirname, "../../package.json"), "utf8")).dependencies.effect
)
/** The current revision of the messages, for `src/runtime/Revision.ts`. */
export const revisionOfMessages = () =>
  fingerprint([AccountEntity, InvoiceEntity, WebhookEndpointEntity], effectVersion)
