import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient, HttpBody, HttpClient, type HttpClientResponse } from "effect/http"
import { AuthorityError } from "../../../schemas/FiscalDocument.ts"
import { Authority, AuthorityUnavailable, type Submission } from "../../../src/invoices/authority/Authority.ts"

const Verdict = Schema.fromJsonString(
  Schema.Struct({
    accepted: Schema.Boolean,
    errors: Schema.Array(AuthorityError),
    notifications: Schema.Array(AuthorityError),
    answer: Schema.Json
  })
)

const read = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  if (response.status !== 200) return yield* new AuthorityUnavailable({ message: `answered ${response.status}` })
  return yield* Schema.decodeEffect(Verdict)(yield* response.text)
})

// A connection that was refused, or closed before the whole response arrived, has no effect on the document.
const orUnavailable = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
  Effect.mapError(effect, (error) => new AuthorityUnavailable({ message: error.message }))

/** An authority over HTTP at `url`, as a custom authority port of a team. */
export const layer = (url: string): Layer.Layer<Authority> =>
  Layer.effect(
    Authority,
    Effect.map(HttpClient.HttpClient, (client) =>
      Authority.of({
        submit: ({ cufe, signed }: Submission) =>
          client
            .post(`${url}/documents/${cufe}`, { body: HttpBody.uint8Array(signed) })
            .pipe(Effect.flatMap(read), orUnavailable),
        verdict: ({ cufe }) =>
          client.get(`${url}/documents/${cufe}`).pipe(
            Effect.flatMap((response) => (response.status === 404 ? Effect.succeed(null) : read(response))),
            orUnavailable
          )
      })
    )
  ).pipe(Layer.provide(FetchHttpClient.layer))
