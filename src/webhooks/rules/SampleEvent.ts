import type { EventType } from "../../../schemas/Event.ts"
import { documentKinds } from "../../../schemas/DocumentKinds.ts"

/** The endpoint, the type and the time of a sample event. `ulid` becomes a part of the document's id. */
export interface SampleOf {
  readonly id: string
  readonly type: EventType
  readonly account_id: string
  readonly livemode: boolean
  readonly created: string
  readonly ulid: string
}

const rejection = {
  rule: "FAD06",
  severity: "rejection",
  message: "A sample: no document was rejected.",
  path: null,
  hint: null
}

const failure = { code: "sample", message: "A sample: no document failed.", retryable: true }

/** A sample event: the id of a document that does not exist, and the body of an event of `type` about it. */
export const sampleEvent = ({ account_id, created, id, livemode, type, ulid }: SampleOf) => {
  const [object, outcome = ""] = type.split(/\.(.*)/) as [keyof typeof documentKinds, string]
  const object_id = `${documentKinds[object].prefix}_${ulid}`
  const envelope = { id, object: "event", type, created, livemode, account: account_id }
  if (outcome.startsWith("email.")) {
    const email = {
      id: `em_${ulid}`,
      object: "email",
      livemode,
      document_id: object_id,
      document_type: object,
      full_number: "SAMPLE1",
      to: "sample@example.com",
      status: outcome.slice("email.".length),
      at: created,
      reason: outcome === "email.bounced" ? "A sample: no email was sent." : null,
      metadata: {}
    }
    return { object_id, body: JSON.stringify({ ...envelope, data: { object: email } }) }
  }
  const isIssued = outcome !== "failed"
  const code = isIssued ? "0".repeat(96) : null
  const body = JSON.stringify({
    ...envelope,
    data: {
      object: {
        id: object_id,
        object,
        status: outcome,
        [object === "invoice" ? "cufe" : "cude"]: code,
        pdf_url: null,
        full_number: isIssued ? "SAMPLE1" : "",
        authority_errors: outcome === "rejected_by_authority" ? [rejection] : [],
        authority_notifications: [],
        failure: isIssued ? null : failure,
        metadata: {},
        version: 1
      }
    }
  })
  return { object_id, body }
}
