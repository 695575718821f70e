/*
 * The tax office of Syldavia. It takes a document and returns a ticket. A later request returns the verdict:
 *
 *   PUT /live/documents/SY…   202 {"ticket": "…"}, also for a document that the office already has
 *                             403 for a sender that the office does not know
 *   GET /live/documents/SY…   200 {"state": "waiting" | "accepted" | "rejected", …}
 *                             404 for a document that never arrived
 */
import {
  Authority,
  AuthorityRefusal,
  AuthorityUnavailable,
  type DocumentName,
  type Verdict
} from "@folio-einvoicing/service/ports"
import { Config, Effect, Layer, Schema } from "effect"

const Answer = Schema.Struct({
  state: Schema.Literals(["waiting", "accepted", "rejected"]),
  /** The rules that a rejected document breaks. */
  faults: Schema.optionalKey(Schema.Array(Schema.Struct({ rule: Schema.String, text: Schema.String }))),
  /** The receipt that the buyer gets with an accepted document. */
  receipt: Schema.optionalKey(Schema.String)
})

// `of_document`: the office works, but this document has no verdict yet. Folio asks again after 1 s, 2 s, 4 s …
const notYet = new AuthorityUnavailable({
  message: "The tax office has no verdict on the document yet.",
  of_document: true
})
const away = (why: string) => new AuthorityUnavailable({ message: `The tax office gave no response: ${why}` })

const verdictOf = ({
  faults = [],
  receipt = "",
  state
}: typeof Answer.Type): Effect.Effect<Verdict, AuthorityUnavailable> => {
  if (state === "waiting") return Effect.fail(notYet)
  return Effect.succeed({
    accepted: state === "accepted",
    errors: faults.map(({ rule, text }) => ({ rule, severity: "rejection", message: text, path: null, hint: null })),
    notifications: [],
    // The profile's `attach` gets the receipt from `XmlBase64Bytes`.
    answer: state === "accepted" ? { XmlBase64Bytes: Buffer.from(receipt).toString("base64") } : {}
  })
}

export const authority = Layer.effect(
  Authority,
  Effect.gen(function* () {
    const base = yield* Config.String("TAX_OFFICE_URL")

    const ask = Effect.fnUntraced(function* (
      method: "GET" | "PUT",
      document: DocumentName,
      body?: Uint8Array<ArrayBuffer>
    ) {
      const url = `${base}/${document.livemode ? "live" : "test"}/documents/${document.cufe}`
      const [status, text] = yield* Effect.tryPromise({
        try: async (signal) => {
          const response = await fetch(url, { method, signal, ...(body && { body }) })
          return [response.status, await response.text()] as const
        },
        catch: (cause) => away(String(cause))
      })
      if (status === 403) return yield* new AuthorityRefusal({ message: text })
      if (status !== 200 && status !== 202 && status !== 404) return yield* away(`status ${status}`)
      return { status, text }
    })

    return Authority.of({
      // A ticket is no verdict: the document stays submitted, and Folio then calls `verdict`, also after a crash.
      submit: (document) => Effect.andThen(ask("PUT", document, new Uint8Array(document.signed)), Effect.fail(notYet)),
      verdict: Effect.fnUntraced(function* (document) {
        const { status, text } = yield* ask("GET", document)
        if (status === 404) return null
        const answer = yield* Schema.decodeEffect(Schema.fromJsonString(Answer))(text).pipe(
          Effect.mapError(() => away("its response has another form"))
        )
        return yield* verdictOf(answer)
      })
    })
  })
)
