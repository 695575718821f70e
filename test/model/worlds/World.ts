import type { Effect } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { NumberForm } from "../../../src/documents/rules/FullNumber.ts"
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

/** A response, byte for byte. Header names are in lower case. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

/** A running request: `reply` is undefined until the response arrives, and null if there will be none. */
export interface Pending {
  reply: Reply | null | undefined
  readonly hangUp: () => void
}

/** A mode of an account that exists before the first step, with its numbering range and its API keys. */
export interface Book extends AccountMode {
  readonly prefix: string
  /** Form of full numbers; without separator and leading zeros if omitted. */
  readonly numbering?: NumberForm
  readonly from: bigint
  readonly to: bigint
  readonly apiKeys: ReadonlyArray<string>
}

/**
 * A service with its surroundings, as a run of the workload drives it. Times are milliseconds of the database's clock.
 */
export interface World {
  readonly books: ReadonlyArray<Book>
  readonly surroundings: Surroundings
  /** Reads the signed bytes of a document; Colombian ones if omitted. */
  readonly read?: AuditorOptions["read"]
  /** Translates the drawn requests, which are Colombian. */
  readonly translate?: Translate
  readonly now: () => number
  /** Whether its clock measures the service's durations: not on a real machine, or where the test moves time. */
  readonly isTimed: boolean
  /** Whether several machines believe to own the same actors even without a fault. */
  readonly hasTwins: boolean
  /** URL of a receiver. */
  readonly hook: (name: string) => string
  readonly send: (sent: Sent) => Pending
  /** Runs everything that is ready now. */
  readonly rest: Effect.Effect<void>
  /** Runs a part of it. */
  readonly some: Effect.Effect<void>
  /** Lets time pass; in a leap no sweep runs before the end. */
  readonly pass: (millis: number, leap?: boolean) => Effect.Effect<void>
  /** Waits for something to happen, at most this long. */
  readonly wait: (millis: number) => Effect.Effect<void>
  /** Runs a step that no client could request. */
  readonly disturb: (step: Step) => Effect.Effect<void>
  /** Ends all disturbances: from now on nothing is lost and all machines run. */
  readonly calm: Effect.Effect<void>
  /**
   * Descriptions of the unfinished work, each starting with the id of its document or endpoint, and the time until the
   * next work is due.
   */
  readonly open: Effect.Effect<{ readonly left: ReadonlyArray<string>; readonly millis: number }>
}
