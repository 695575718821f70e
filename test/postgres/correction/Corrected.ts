import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Answer, Client } from "../../support/apps/Client.ts"
import { until } from "../../support/apps/Until.ts"

/* Helpers for tests of corrections. */

export const rejected = "rejected_by_authority"
export const accepted = "accepted_by_authority"

/** A new idempotency key. */
export const key = () => ({ key: crypto.randomUUID() })

/** Waits until a document has a status, and returns the document. */
export const settled = (client: Client, path: string, status: string) =>
  Effect.map(
    until(client.get(path), ({ json }) => json.status === status),
    ({ json }) => json
  )

/** Issues a document, and waits until it has a status. */
export const issue = Effect.fnUntraced(function* (client: Client, path: string, body: object, status: string) {
  const answer = yield* client.post(path, body, key())
  assert.strictEqual(answer.status, 202, answer.text)
  return yield* settled(client, `${path}/${answer.json.id}`, status)
})

/** Scripts the next documents, and no others. */
export const script = (client: Client, ...next: ReadonlyArray<object>) =>
  client.post("/v1/test-helpers/authority", { mode: "up", next })

export const codeOf = ({ json, status }: Answer) => [status, json.error?.code]

type Entry = Readonly<Record<string, Answer["json"]>>

/** The timeline of a document. */
export const entries = (client: Client, path: string) =>
  Effect.map(client.get(`${path}/timeline`), ({ json }): ReadonlyArray<Entry> => json.data)
