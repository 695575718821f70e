import { Context, Duration, Effect, Latch, Layer, Schedule } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { accountAddress } from "../protocol/Address.ts"
import { Busyness } from "../protocol/Busyness.ts"
import { Counts } from "../protocol/Counts.ts"

// At these counts the process is busy: it answers requests first and works off documents later.
const creatingMax = 48
const creatingCalmMax = 16
const signingMax = 64
const workingMax = 8

// An account numbers no more drafts while so many of its documents are being signed or stored here: its backlog waits as drafts, which
// cost nothing, and the event loop has little to do before the document of another account.
const ofAccountMax = 8

// The longest wait for room or calm: however busy the process is, the work of each account goes on after this time at the latest.
const timeout = Duration.millis(100)

// In milliseconds. While an account's oldest draft is later than the first, the account's creations wait, at most for the second: a client
// is then answered as fast as its documents are issued. Above the third they are refused. The third is far above the first, because
// drafts are also late while the whole service is held up, which is not their account's fault.
const slowFromMs = 100
const waitMaxMs = 1_000
const lateMaxMs = 5_000

// The busyness above which new work would wait noticeably behind work that is already late.
const busyMax = 0.7
const lookAgain = Duration.millis(10)

const late = new ApiError({
  code: "rate_limited",
  message:
    "This account creates documents faster than they are issued: a draft has waited longer than five seconds for its number. Retry in 2 s, and create fewer at a time.",
  headers: { "Retry-After": "2" }
})

interface Gate {
  readonly isOpen: () => boolean
  readonly latch: Latch.Latch
}

/**
 * Counts the work that this process has under way, and holds back work that can wait. Creating goes first, so that a burst of
 * invoices is accepted at the rate of creation; and one account's backlog is worked off in portions, so that the next account's
 * invoice does not queue up behind that backlog.
 */
export class Backpressure extends Context.Service<Backpressure>()("folio/issuing/Backpressure", {
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

    const isCalm = () => count.creating < creatingCalmMax && count.signing + count.storing < workingMax
    const hasRoom = (account: string) => {
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

    // A measure that throws counts as busy: work that can wait then waits its 100 ms, and goes on.
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

    /** How long the account's oldest draft has waited for its number, in milliseconds; 0 unless its actor is in this process. */
    const lateMs = (account: AccountMode) => lateness.get(accountAddress(account))?.() ?? 0

    return {
      /** The share of time for which the process was busy in the last moments, from 0 to 1. */
      busyShare,
      /** Counts a draft as being created while the effect runs. */
      creating: counted("creating"),
      /** Counts a document, or a group of so many, as being read and signed while the effect runs. */
      signing: counted("signing"),
      /** Counts the steps of so many documents as being stored while the effect runs. */
      storing: counted("storing"),
      /** Waits until there is room to number more drafts of the account, for 100 ms at most. */
      room: (account: AccountMode) => openedWithin(() => hasRoom(accountAddress(account)), timeout),
      /** Waits until the process has little to do, so that work that is already late can go on; for 100 ms at most. */
      calm: Effect.asVoid(Effect.timeoutOption(Effect.andThen(opened(isCalm), hasTime), timeout)),
      /** Lets the numbering of an account say how late its drafts are (`ms`), until the scope closes. */
      tellLateness: (account: AccountMode, ms: () => number) =>
        Effect.acquireRelease(
          Effect.sync(() => lateness.set(accountAddress(account), ms)),
          () =>
            Effect.sync(() => {
              // A later actor of the account may have taken over.
              if (lateness.get(accountAddress(account)) === ms) lateness.delete(accountAddress(account))
            })
        ),
      /** Fails with `rate_limited` while a draft of the account has waited for its number for longer than five seconds. */
      admit: (account: AccountMode) =>
        Effect.suspend(() => (lateMs(account) > lateMaxMs ? Effect.fail(late) : Effect.void)),
      /** Waits until the account's drafts are not late, for a second at most. */
      caughtUp: (account: AccountMode) => openedWithin(() => lateMs(account) <= slowFromMs, waitMaxMs)
    }
  })
}) {
  static readonly layer = Layer.effect(Backpressure, Backpressure.make)
}
