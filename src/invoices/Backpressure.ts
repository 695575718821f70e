import { Context, Duration, Effect, Latch, Layer, Schedule } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { accountAddress } from "../runtime/Address.ts"
import { Busyness } from "../runtime/turns/Busyness.ts"
import { Counts } from "../runtime/turns/Counts.ts"

// At these counts the process is busy: it serves requests first and processes documents later.
const creatingMax = 48
const creatingIdleMax = 16
const signingMax = 64
const workingMax = 8

// An account numbers no more drafts while this process signs or stores this many of its documents. The backlog waits as
// drafts, which use no resources, so that other accounts' documents do not wait long for the event loop.
const ofAccountMax = 8

// The longest wait of `capacity` or `idle`. Even in a busy process, each account's work resumes after this time.
const timeout = Duration.millis(100)

// In milliseconds. If an account's oldest draft is later than `slowFromMs`, the account's creations wait, at most
// `waitMaxMs`. Clients then get responses as fast as Folio issues their documents. Above `lateMaxMs`, Folio rejects
// creations. `lateMaxMs` is far above `slowFromMs`, because drafts are also late when all of Folio is slow, without a
// fault of their account.
const slowFromMs = 100
const waitMaxMs = 1_000
const lateMaxMs = 5_000

// Above this busyness, new work would noticeably wait behind late work.
const busyMax = 0.7
const lookAgain = Duration.millis(10)

const late = new ApiError({
  code: "rate_limited",
  message:
    "This account creates documents faster than Folio issues them: a draft has waited longer than five seconds for its number. Retry in 2 s, and create fewer at a time.",
  headers: { "Retry-After": "2" }
})

interface Gate {
  readonly isOpen: () => boolean
  readonly latch: Latch.Latch
}

/**
 * Counts the work in progress in this process, and delays work that can wait. Creation has priority, so that Folio
 * accepts a burst of invoices at the rate of creation. Processes an account's backlog in portions, so that the next
 * account's invoice does not queue up behind it.
 */
export class Backpressure extends Context.Service<Backpressure>()("folio/invoices/Backpressure", {
  make: Effect.map(Busyness, (busyness) => {
    const count = { creating: 0, signing: 0, storing: 0 }
    const ofAccount = new Counts()
    const lateness = new Map<string, () => number>()
    const gates = new Set<Gate>()

    const change = (what: keyof typeof count, account: string, by: number) => {
      count[what] += by
      if (what !== "creating") ofAccount.add(account, by)
      if (by > 0) return
      for (const { isOpen, latch } of gates) if (isOpen()) latch.openUnsafe()
    }

    const counted =
      (what: keyof typeof count) =>
      <A, E, R>(account: AccountMode, effect: Effect.Effect<A, E, R>, documents = 1): Effect.Effect<A, E, R> =>
        Effect.suspend(() => {
          const address = accountAddress(account)
          change(what, address, documents)
          return Effect.ensuring(
            effect,
            Effect.sync(() => change(what, address, -documents))
          )
        })

    const isIdle = () => count.creating < creatingIdleMax && count.signing + count.storing < workingMax
    const hasCapacity = (account: string) => {
      const own = ofAccount.of(account)
      return own === 0 || (own < ofAccountMax && count.creating < creatingMax && count.signing < signingMax)
    }

    const opened = (isOpen: () => boolean) =>
      Effect.suspend(() => {
        if (isOpen()) return Effect.void
        const gate = { isOpen, latch: Latch.makeUnsafe() }
        gates.add(gate)
        return Effect.ensuring(
          gate.latch.await,
          Effect.sync(() => gates.delete(gate))
        )
      })

    const openedWithin = (isOpen: () => boolean, most: Duration.Input) =>
      Effect.suspend(() => (isOpen() ? Effect.void : Effect.asVoid(Effect.timeoutOption(opened(isOpen), most))))

    // A measure that throws counts as busy: delayable work then waits 100 ms and resumes.
    const busyShare = () => {
      try {
        return busyness()
      } catch {
        return 1
      }
    }
    const hasTime = Effect.repeat(Effect.sync(busyShare), {
      until: (share) => share <= busyMax,
      schedule: Schedule.spaced(lookAgain)
    })

    /**
     * How long the account's oldest draft has waited for its number, in milliseconds; 0 unless its actor is in this
     * process.
     */
    const lateMs = (account: AccountMode) => lateness.get(accountAddress(account))?.() ?? 0

    return {
      /** The share of time in which the process was busy recently, from 0 to 1. */
      busyShare,
      /** Counts a draft for `creating` while the effect runs. */
      creating: counted("creating"),
      /** Counts a document or a group of documents for `signing` (read and sign) while the effect runs. */
      signing: counted("signing"),
      /** Counts documents for `storing` (store their steps) while the effect runs. */
      storing: counted("storing"),
      /** Waits until the process can number more drafts of the account, for 100 ms at most. */
      capacity: (account: AccountMode) => openedWithin(() => hasCapacity(accountAddress(account)), timeout),
      /** Waits until the process is not busy, for 100 ms at most, so that late work can proceed. */
      idle: Effect.asVoid(Effect.timeoutOption(Effect.andThen(opened(isIdle), hasTime), timeout)),
      /** Registers how late the drafts of an account are (`ms`), until the scope closes. */
      reportLateness: (account: AccountMode, ms: () => number) =>
        Effect.acquireRelease(
          Effect.sync(() => lateness.set(accountAddress(account), ms)),
          () =>
            Effect.sync(() => {
              // A later actor of the account may already be registered.
              if (lateness.get(accountAddress(account)) === ms) lateness.delete(accountAddress(account))
            })
        ),
      /** Fails with `rate_limited` while a draft of the account has waited longer than five seconds for its number. */
      admit: (account: AccountMode) =>
        Effect.suspend(() => (lateMs(account) > lateMaxMs ? Effect.fail(late) : Effect.void)),
      /** Waits until the account's drafts are not late, for a second at most. */
      caughtUp: (account: AccountMode) => openedWithin(() => lateMs(account) <= slowFromMs, waitMaxMs)
    }
  })
}) {
  static readonly layer = Layer.effect(Backpressure, Backpressure.make)
}
