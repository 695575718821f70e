import { Cause, Duration, Effect, Record } from "effect"
import { Entity } from "effect/cluster"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { Actor, CarriedOut, Command } from "./Command.ts"
import { Commands } from "./Commands.ts"
import { Mailing } from "../invoices/Mailing.ts"
import * as Numbering from "../invoices/Numbering.ts"
import {
  type AccountCommands,
  AccountEntity,
  type Answered,
  type CommandTag,
  LocalAccounts,
  type Payload,
  type RequestContext
} from "./AccountEntity.ts"
import { inLane } from "../runtime/turns/AccountLanes.ts"
import { accountModeOf } from "../runtime/Address.ts"
import { Idempotency, makeInFlight } from "./store/Idempotency.ts"
import { Database } from "../database/Database.ts"
import { apiErrorOf } from "../database/SqlFailure.ts"

const maxIdleTime = Duration.minutes(1)
const mailboxCapacity = 4096

interface Request<Tag extends CommandTag> {
  readonly payload: Payload<Tag>
}

type Handlers = { readonly [Tag in CommandTag]: (request: Request<Tag>) => Effect.Effect<Answered, ApiError> }

/**
 * Actor of one account in one mode. It runs the account's commands and numbers its drafts in order. Requests run
 * concurrently, but only a few requests run their own transaction at a time. `Idempotency` ensures that each effect
 * happens only once.
 */
export const layer = AccountEntity.toLayer(
  Effect.gen(function* () {
    const { means, table } = yield* Commands
    const database = yield* Database
    const mailing = yield* Mailing
    const { entityId } = yield* Entity.CurrentAddress
    const account = accountModeOf(entityId)
    const numbering = yield* Numbering.make(account)
    const once = makeInFlight((yield* Idempotency).lookup)
    const actor: Actor = { account, hasRange: numbering.hasRange }

    /** Turns a defect into an API error: a fatal defect would restart the actor and repeat every request in flight. */
    const answer = <A>({ request_id }: RequestContext, effect: Effect.Effect<A, ApiError>) =>
      Effect.annotateCurrentSpan({ account_id: account.account_id, request_id }).pipe(
        Effect.andThen(effect),
        Effect.catchCauseIf(Cause.hasDies, (cause) =>
          Effect.logError("A command failed", cause).pipe(
            Effect.andThen(database.note(cause)),
            Effect.andThen(Effect.fail(apiErrorOf(cause)))
          )
        ),
        Effect.annotateLogs({ account_id: account.account_id, request_id }),
        inLane(account)
      )

    /** Numbers the drafts of a command, and drops the cached ranges if the command has changed them. */
    const goOn = Effect.fnUntraced(function* ({ changesRanges, drafts = [], outcome }: CarriedOut) {
      if (changesRanges === true) yield* numbering.forgetRanges
      for (const draft of drafts) yield* numbering.add(draft)
      return outcome
    })

    const handler =
      <Tag extends CommandTag>({ carryOut }: Command<Tag>) =>
      ({ payload }: Request<Tag>) =>
        answer(payload.context, once(payload.context, Effect.flatMap(carryOut(means, actor, payload), goOn)))

    const handlers = Record.map(table as Record<string, Command<CommandTag>>, handler) as Handlers
    const direct = Record.map(
      handlers as unknown as Record<string, (request: { readonly payload: unknown }) => unknown>,
      (handle) => (payload: unknown) => handle({ payload })
    ) as unknown as AccountCommands
    yield* (yield* LocalAccounts).offer(entityId, direct)

    return AccountEntity.of({
      ...handlers,
      NoteEmail: ({ payload }) => mailing.note(account, payload),
      NumberDrafts: () => numbering.takeUp
    })
  }),
  { maxIdleTime, mailboxCapacity, concurrency: "unbounded", disableFatalDefects: true }
)
