import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { ApiError } from "../../schemas/ApiError.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { CurrentRequest } from "../api/Conventions.ts"
import { AccountEntity, type Answered, type RequestContext } from "../protocol/AccountEntity.ts"
import { accountAddress } from "../protocol/Address.ts"
import { Exchange, originOf } from "./Exchange.ts"

// A little more than a statement may take; what is still running then is found by the client's retry.
const askTimeout = "12 seconds"

const unavailable = new ApiError({
  code: "service_unavailable",
  message: "The account cannot be served at this moment. Retry with the same Idempotency-Key: nothing is done twice.",
  headers: { "Retry-After": "1", "Svc-Should-Retry": "true" }
})

/** The client of the asking principal's account actor, and what each command carries along. */
export const makeAsk = Effect.map(AccountEntity.client, (clientOf) => {
  type Client = ReturnType<typeof clientOf>
  return Effect.fnUntraced(function* <E>(
    command: (client: Client, context: RequestContext) => Effect.Effect<Answered, E>
  ) {
    const principal = yield* CurrentPrincipal
    const { idempotency, version } = yield* CurrentRequest
    const exchange = yield* Exchange
    const context: RequestContext = {
      api_key_id: principal.api_key_id,
      version,
      idempotency,
      ...originOf(exchange)
    }
    const answered = yield* command(clientOf(accountAddress(principal)), context).pipe(
      Effect.timeout(askTimeout),
      // A full mailbox, a shard on the move, an actor that does not answer: all of them pass.
      Effect.mapError((error) => (error instanceof ApiError ? error : unavailable))
    )
    exchange.document_bytes = answered.document_bytes
    return respond(answered, idempotency !== null)
  })
})

/** Sends stored bytes as they are. */
const respond = (answered: Answered, keyed: boolean) =>
  HttpServerResponse.text(answered.body, {
    status: answered.status,
    contentType: "application/json",
    headers: {
      ...(answered.location === null ? {} : { Location: answered.location }),
      ...(keyed ? { "Svc-Idempotency-Cached": String(answered.kind === "replayed") } : {}),
      ...(answered.kind === "in_progress" ? { "Retry-After": "1" } : {})
    }
  })
