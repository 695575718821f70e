import type { Effect } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { NumberForm } from "../../../src/domain/documents/FullNumber.ts"
import type { AuditorOptions } from "../checks/Auditor.ts"
import type { Step } from "../steps/Steps.ts"
import type { Translate } from "../steps/Translate.ts"
import type { Surroundings } from "./Surroundings.ts"

/** A request as it is sent. */
export interface Sent {
  readonly method: string
  readonly path: string
  /** The API key itself. */
  readonly apiKey: string
  /** The Idempotency-Key. */
  readonly key: string | null
  /** The text of the body, or none. */
  readonly body: string | null
}

/** An answer, byte for byte. Names of headers are in lower case. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

/** A request under way: `reply` is undefined until there is an answer, and null when there will be none. */
export interface Pending {
  reply: Reply | null | undefined
  readonly hangUp: () => void
}

/** A mode of an account that exists before the first step, with its numbering range and its API keys. */
export interface Book extends AccountMode {
  readonly prefix: string
  /** How full numbers are written; without separator and leading zeros if omitted. */
  readonly numbering?: NumberForm
  readonly from: bigint
  readonly to: bigint
  readonly apiKeys: ReadonlyArray<string>
}

/** A service with its surroundings, as a run of the workload drives it. Times are milliseconds of the database's clock. */
export interface World {
  readonly books: ReadonlyArray<Book>
  readonly surroundings: Surroundings
  /** Reads the signed bytes of a document; Colombian ones if omitted. */
  readonly read?: AuditorOptions["read"]
  /** Translates the drawn requests, which are Colombian. */
  readonly translate?: Translate
  readonly now: () => number
  /** Whether its clock shows how long the service takes: not where it runs on a real machine, or time is made to pass. */
  readonly isTimed: boolean
  /** Whether several machines believe to own the same actors even while nothing fails. */
  readonly hasTwins: boolean
  /** The address of a receiver. */
  readonly hook: (name: string) => string
  readonly send: (sent: Sent) => Pending
  /** Lets everything happen that can happen now. */
  readonly rest: Effect.Effect<void>
  /** Lets some of it happen. */
  readonly some: Effect.Effect<void>
  /** Lets time pass; in a leap nobody looks for work before it is over. */
  readonly pass: (millis: number, leap?: boolean) => Effect.Effect<void>
  /** Waits for something to happen, not longer than this. */
  readonly wait: (millis: number) => Effect.Effect<void>
  /** Carries out a step that no client could ask for. */
  readonly disturb: (step: Step) => Effect.Effect<void>
  /** Ends everything that disturbs the service: from now on nothing is lost and all machines run. */
  readonly calm: Effect.Effect<void>
  /**
   * What is left to do, in words that begin with the id of the document or of the endpoint, and how long it is until the next of it
   * is due.
   */
  readonly open: Effect.Effect<{ readonly left: ReadonlyArray<string>; readonly millis: number }>
}
