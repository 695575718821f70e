import type { Option } from "effect"
import { Effect } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { AuditAction } from "../../schemas/AuditEntry.ts"
import { ApiError, type Violation } from "../../schemas/ApiError.ts"
import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import { unreadable } from "../runtime/json/Unreadable.ts"
import type { NewDraft } from "../invoices/Numbering.ts"
import type { CommandTag, Payload, RequestContext } from "./AccountEntity.ts"
import * as AccountTurns from "../runtime/turns/AccountTurns.ts"
import { askerOf } from "../runtime/turns/Turns.ts"
import { Limits } from "../runtime/Limits.ts"
import { AuditLog } from "./store/AuditLog.ts"
import { type Answer, type Claim, claimOf, Idempotency, type Outcome, unlessAnswered } from "./store/Idempotency.ts"

/** The data that the account's actor has for its commands. */
export interface Actor {
  readonly account: AccountMode
  /** Whether a range of the prefix, or any range if null, has numbers. Does not read the database for each document. */
  readonly hasRange: (kind: DocumentKind, prefix: string | null) => Effect.Effect<boolean>
}

/**
 * The work after a command for its account's actor. A replay leaves none, because the first request or the sweeper does
 * the work.
 */
export interface Left {
  /** New drafts to number in order of creation. */
  readonly drafts?: ReadonlyArray<NewDraft>
  /** Ranges have changed, so the next draft gets its number from the current ranges. */
  readonly changesRanges?: boolean
}

/** An entry of the audit log. `details` names the changed parts, not the new values. */
export type AuditEntry = readonly [action: AuditAction, object_id: string, details?: Readonly<Record<string, unknown>>]

/** The result of a command's transaction. */
export interface Done extends Left {
  readonly answer: Answer
  /** Stored in the same transaction. Empty only if the command changes nothing. */
  readonly audit: ReadonlyArray<AuditEntry>
  /** The work after the commit. If the process dies first, the sweeper does it. A replay does not repeat it. */
  readonly after?: Effect.Effect<void>
}

/**
 * The steps of a command: a generator in the form of `Effect.gen`, or an effect. Arguments of `Effect.fnUntraced` would
 * have no type here.
 */
type Steps<A> = Generator<Effect.Effect<unknown, ApiError>, A, never> | Effect.Effect<A, ApiError>

const effectOf = <A>(steps: () => Steps<A>): Effect.Effect<A, ApiError> =>
  Effect.suspend(() => {
    const made = steps()
    return Effect.isEffect(made) ? made : Effect.gen(() => made)
  })

/** The outcome of a command, and the remaining work for the actor. */
export interface CarriedOut extends Left {
  readonly outcome: Outcome
}

declare const made: unique symbol

/**
 * A command that a client may send to its account. Only `alone` and `batched` make commands, so that every command has
 * its idempotency key, replay, audit entry and turn.
 */
export interface Command<Tag extends CommandTag> {
  readonly tag: Tag
  readonly carryOut: (means: Means, actor: Actor, payload: Payload<Tag>) => Effect.Effect<CarriedOut, ApiError>
  readonly [made]: true
}

interface Before<Tag extends CommandTag, Prepared> {
  /**
   * Checks the request and reads the data of the command, before any change. A repeated request that fails here still
   * gets its stored response.
   */
  readonly before?: (account: AccountMode, payload: Payload<Tag>, actor: Actor) => Steps<Prepared>
}

interface Alone<Tag extends CommandTag, Prepared> extends Before<Tag, Prepared> {
  /** `before` takes long or calls other systems, so it starts only if the request has no stored response. */
  readonly isBeforeLong?: true
  /** The response holds a secret, so it is stored encrypted. */
  readonly isSecret?: true
  /** Runs in a transaction of its own, in the account's view. */
  readonly run: (account: AccountMode, payload: Payload<Tag>, prepared: Prepared) => Steps<Done>
}

interface Batched<Tag extends CommandTag, Prepared> extends Before<Tag, Prepared> {
  /**
   * Runs in a statement that other requests share. The statement claims the idempotency key, and stores the response
   * and the audit entry itself.
   */
  readonly run: (account: AccountMode, payload: Payload<Tag>, claim: Claim, prepared: Prepared) => Steps<CarriedOut>
}

const command = <Tag extends CommandTag>(tag: Tag, carryOut: Command<Tag>["carryOut"]): Command<Tag> =>
  ({ tag, carryOut: Effect.fn(`Command.${tag}`)(carryOut) }) as Command<Tag>

/**
 * The turns of commands with their own transaction and connection. The creations of invoices and customers need no
 * turn, because they share statements.
 *
 * An account's commands often wait for the same row. They wait here without a connection, so that other accounts can
 * use the process's connections.
 */
export const makeTurns = Effect.map(Limits, ({ commands }) => {
  const inTurn = AccountTurns.make({ what: "command", ...commands })
  return {
    /** Runs a command in its turn. The wait for the turn comes before the command's transaction. */
    inTurn: <A, E, R>(account: AccountMode, { api_key_id }: RequestContext, carriedOut: Effect.Effect<A, E, R>) =>
      inTurn(askerOf(account, api_key_id), carriedOut)
  }
})

/** The services that all commands of a process use. */
export const makeMeans = Effect.gen(function* () {
  return { audit: yield* AuditLog, keys: yield* Idempotency, turns: yield* makeTurns }
})
type Means = Effect.Success<typeof makeMeans>

/** The result of `before`, or the stored outcome of a request that already has a response. */
const prepare = <Tag extends CommandTag, Prepared>(
  { before, isBeforeLong }: Pick<Alone<Tag, Prepared>, "before" | "isBeforeLong">,
  keys: Idempotency["Service"],
  actor: Actor,
  payload: Payload<Tag>,
  claim: Claim | null
) =>
  before === undefined
    ? Effect.succeed({ prepared: undefined as Prepared })
    : unlessAnswered(
        keys.lookup,
        claim,
        effectOf(() => before(actor.account, payload, actor)),
        isBeforeLong === true
      )

/** Makes a command with its own transaction and connection. The command waits for its turn without a connection. */
export const alone = <const Tag extends CommandTag, Prepared = undefined>(tag: Tag, parts: Alone<Tag, Prepared>) =>
  command(
    tag,
    Effect.fnUntraced(function* ({ audit, keys, turns }, actor, payload) {
      const { account } = actor
      const { context } = payload
      const claim = claimOf(context)
      const begun = yield* prepare(parts, keys, actor, payload, claim)
      if ("outcome" in begun) return begun
      let done: Done | undefined
      const effect = Effect.gen(function* () {
        done = yield* effectOf(() => parts.run(account, payload, begun.prepared))
        for (const [action, id, details] of done.audit) yield* audit.record(account, context, action, id, details)
        return done.answer
      })
      const options = { secret: parts.isSecret === true }
      const outcome = yield* turns.inTurn(account, context, keys.once(account, claim, effect, options))
      if (done?.after !== undefined) yield* done.after
      return { ...leftBy(done), outcome }
    })
  )

/**
 * Makes a command that shares a statement with other requests in flight, and therefore doesn't wait for its own
 * transaction.
 */
export const batched = <const Tag extends CommandTag, Prepared = undefined>(tag: Tag, parts: Batched<Tag, Prepared>) =>
  command(
    tag,
    Effect.fnUntraced(function* ({ keys }, actor, payload) {
      const { account } = actor
      const claim = claimOf(payload.context)
      if (claim === null) return yield* keyMissing
      const begun = yield* prepare(parts, keys, actor, payload, claim)
      if ("outcome" in begun) return begun
      return yield* effectOf(() => parts.run(account, payload, claim, begun.prepared))
    })
  )

const leftBy = (done: Done | undefined): Left => ({
  ...(done?.drafts === undefined ? {} : { drafts: done.drafts }),
  ...(done?.changesRanges === undefined ? {} : { changesRanges: done.changesRanges })
})

const keyMissing = new ApiError({ code: "idempotency_key_missing", message: "Send the header Idempotency-Key." })

/** Returns a row that must exist; otherwise fails with `resource_missing`. */
export const found = <Row>(row: Option.Option<Row>, noun: string, id: string, param?: string) =>
  Effect.mapError(Effect.fromOption(row), () => ApiError.missing(noun, id, param))

/** Fails with all violations, if there are any. */
export const refuse = ([first, ...rest]: ReadonlyArray<Violation>): Effect.Effect<void, ApiError> =>
  first === undefined ? Effect.void : Effect.fail(ApiError.fromViolations([first, ...rest]))

const answer = (status: number, location: string | null, body: object) => ({
  status,
  location,
  body: JSON.stringify(body)
})

export const ok = (body: object): Answer => answer(200, null, body)
export const created = (location: string, body: object): Answer => answer(201, location, body)
export const accepted = (location: string, body: object): Answer => answer(202, location, body)
export const deleted = (object: string, id: string): Answer => ok({ id, object, deleted: true })

/** The violations of a check on a body that may not fit its schema; none if the check reads a part with a fault. */
export const ofReadable = <A, R>(check: Effect.Effect<ReadonlyArray<A>, never, R>) =>
  Effect.catchDefect(check, (defect): Effect.Effect<ReadonlyArray<A>> =>
    defect === unreadable ? Effect.succeed([]) : Effect.die(defect)
  )
