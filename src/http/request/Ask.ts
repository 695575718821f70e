import { Cause, Duration, Effect, Schedule } from "effect"
import { HttpServerResponse } from "effect/http"
import { ApiError } from "../../../schemas/ApiError.ts"
import { CurrentPrincipal } from "../../api/Authorization.ts"
import { CurrentRequest } from "../../api/Conventions.ts"
import {
  type AccountCommands,
  AccountEntity,
  type Answered,
  LocalAccounts,
  type RequestContext
} from "../../accounts/AccountEntity.ts"
import { accountAddress } from "../../runtime/Address.ts"
import { withDeadline } from "../../runtime/PortCall.ts"
import { Exchange, originOf } from "./Exchange.ts"

// A little longer than the time limit of a statement. If a command takes longer, the client's retry gets the command's
// response.
const askTimeout = Duration.seconds(12)

// Interrupts the wait for an actor's reply when the actor moves to another process.
const moved = Symbol("moved")

/**
 * Repeats a command as often as its actor moves. Only for commands with an idempotency key, because a command without
 * one may have run before the move and would then run twice.
 */
export const againAfterMove = <A, E>(asked: Effect.Effect<A, E>) =>
  asked.pipe(
    Effect.catchCauseIf(Cause.hasInterruptsOnly, () => Effect.fail(moved)),
    Effect.retry({ while: (error) => error === moved, schedule: Schedule.spaced("100 millis") })
  )

/**
 * Reply of an actor. Any failure other than an `ApiError` becomes `service_unavailable`, because a full mailbox, a
 * moving shard and an actor without a reply are temporary. `retry` is the advice in the message.
 */
export const answerOf = <A, E>(asked: Effect.Effect<A, E>, retry: string): Effect.Effect<A, ApiError> =>
  Effect.mapError(
    withDeadline(asked, Duration.toMillis(askTimeout), () => Effect.fail("no response in time")),
    (error) =>
      error instanceof ApiError
        ? error
        : new ApiError({
            code: "service_unavailable",
            message: `The account cannot be served at this moment. ${retry}`
          })
  )

type Client = ReturnType<Effect.Success<typeof AccountEntity.client>>

/** Actor of an account, in this process or in another one. */
type Actor = AccountCommands | Client

/**
 * Makes the function that sends a command, with the context of the request, to the account actor of the request's
 * principal.
 */
export const makeAsk = Effect.gen(function* () {
  const clientOf = yield* AccountEntity.client
  const local = yield* LocalAccounts
  return Effect.fnUntraced(function* <E>(
    command: (actor: Actor, context: RequestContext) => Effect.Effect<Answered, E>
  ) {
    const principal = yield* CurrentPrincipal
    const { idempotency, version } = yield* CurrentRequest
    const exchange = yield* Exchange
    const { api_key_id, capabilities } = principal
    const may = capabilities === undefined ? {} : { capabilities }
    const context = { api_key_id, ...may, version, idempotency, ...originOf(exchange) }
    const address = accountAddress(principal)
    const asked = Effect.flatMap(local.find(address), (actor) => command(actor ?? clientOf(address), context))
    const answered = yield* answerOf(
      idempotency === null ? asked : againAfterMove(asked),
      "Retry with the same Idempotency-Key: nothing is done twice."
    )
    exchange.document_bytes = answered.document_bytes
    exchange.repeat = answered.kind === "first" ? undefined : answered.kind
    return respond(answered, idempotency !== null)
  })
})

/** Makes the function that sends a command about one object. The command fails if `idOf` fails for the client's id. */
export const makeAskAbout = Effect.fnUntraced(function* <Id extends string>(
  idOf: (id: string) => Effect.Effect<Id, ApiError>
) {
  type About = { readonly context: RequestContext; readonly id: Id }
  const ask = yield* makeAsk
  return <E>(sent: string, command: (actor: Actor, about: About) => Effect.Effect<Answered, E>) =>
    Effect.flatMap(idOf(sent), (id) => ask((actor, context) => command(actor, { context, id })))
})

/** Sends the stored bytes of a response unchanged. */
export const respond = (answered: Answered, keyed: boolean) =>
  HttpServerResponse.text(answered.body, {
    status: answered.status,
    contentType: "application/json",
    headers: {
      ...(answered.location === null ? {} : { Location: answered.location }),
      ...(keyed ? { "Svc-Idempotency-Cached": String(answered.kind === "replayed") } : {}),
      ...(answered.kind === "in_progress" ? { "Retry-After": "1" } : {})
    }
  })
