import type { Effect, Layer } from "effect"
import type { Sharding } from "effect/cluster"
import type { HttpRouter } from "effect/http"
import type { NationalProfile } from "../../../src/documents/NationalProfile.ts"
import type { Printer } from "../../../src/documents/print/Printer.ts"
import type { Ids } from "../../../src/store/sql/Ids.ts"
import type * as MemoryStore from "../../support/memory/MemoryStore.ts"
import type { MemoryPortsOptions } from "./MemoryPorts.ts"
import type { SignedContent } from "../checks/documents/Documents.ts"
import type { Translate } from "../steps/Translate.ts"
import type { World } from "./World.ts"

/** What routes and jobs of a team can ask for in a memory world. */
export type MemoryServices = Layer.Success<typeof MemoryStore.layer> | Ids | Sharding.Sharding

/** What a team may put its own in for. */
export interface MemoryWorldOptions extends MemoryPortsOptions {
  /**
   * What the documents of another country are; Colombian if omitted. The accounts of the world come from its `sandbox`. It needs an
   * `authority` that judges its documents, `read`, and `translate` for the drawn requests.
   */
  readonly profile?: Layer.Layer<NationalProfile>
  /** Reads what a document says from its signed bytes; null if their signature does not verify. */
  readonly read?: (signed: Uint8Array) => SignedContent | null
  /** Translates each drawn request, whose body is Colombian. */
  readonly translate?: Translate
  /** The printer; one that prints hardly anything if omitted. Time is simulated: it must not wait for threads, files or timers. */
  readonly printer?: Layer.Layer<Printer>
  /** Routes of one's own, beside the service's. They may ask for the store, and for `Sharding`, by which actors are asked. */
  readonly routes?: Layer.Layer<never, never, MemoryServices | HttpRouter.HttpRouter>
  /** Services of the store that stand in for those in memory, which they may ask for. */
  readonly store?: Layer.Layer<never, never, Layer.Success<typeof MemoryStore.layer>>
}

/** A world in memory. Each sequence starts with an empty one. */
export interface MemoryWorld extends World {
  /** Forgets everything and begins anew; the same seed gives the same run. */
  readonly reset: (seed: number) => Effect.Effect<void>
  /** Runs a job of a team's own beside the service, and lets time pass until it has ended; dies after an hour. */
  readonly run: <A, E>(job: Effect.Effect<A, E, MemoryServices>) => Effect.Effect<A, E>
}
