import type { Effect, Layer } from "effect"
import type { Sharding } from "effect/cluster"
import type { HttpRouter } from "effect/http"
import type { NationalProfile } from "../../../src/documents/NationalProfile.ts"
import type { Printer } from "../../../src/documents/print/Printer.ts"
import type { Ids } from "../../../src/database/Ids.ts"
import type * as MemoryStore from "../../support/memory/MemoryStore.ts"
import type { MemoryPortsOptions } from "./MemoryPorts.ts"
import type { SignedContent } from "../checks/documents/Documents.ts"
import type { Translate } from "../steps/Translate.ts"
import type { World } from "./World.ts"

/** Services that a team's routes and jobs can require in a memory world. */
export type MemoryServices = Layer.Success<typeof MemoryStore.layer> | Ids | Sharding.Sharding

/** The parts that a team can replace. */
export interface MemoryWorldOptions extends MemoryPortsOptions {
  /**
   * The documents of another country; Colombian if omitted. The accounts of the world come from its `sandbox`. It needs
   * an `authority` that judges its documents, `read`, and `translate` for the drawn requests.
   */
  readonly profile?: Layer.Layer<NationalProfile>
  /** Reads a document's content from its signed bytes; null if their signature does not verify. */
  readonly read?: (signed: Uint8Array) => SignedContent | null
  /** Translates each drawn request, whose body is Colombian. */
  readonly translate?: Translate
  /**
   * The printer; by default one that prints almost nothing. Time is simulated: it must not wait for threads, files or
   * timers.
   */
  readonly printer?: Layer.Layer<Printer>
  /** Your own routes, next to the service's. They can require the store, and `Sharding` to ask actors. */
  readonly routes?: Layer.Layer<never, never, MemoryServices | HttpRouter.HttpRouter>
  /** Store services that replace the memory store's, which they can require. */
  readonly store?: Layer.Layer<never, never, Layer.Success<typeof MemoryStore.layer>>
}

/** A world in memory. Each sequence starts with an empty one. */
export interface MemoryWorld extends World {
  /** Deletes everything and starts again; the same seed gives the same run. */
  readonly reset: (seed: number) => Effect.Effect<void>
  /** Runs a team's own job next to the service, and lets time pass until it has ended; dies after an hour. */
  readonly run: <A, E>(job: Effect.Effect<A, E, MemoryServices>) => Effect.Effect<A, E>
}
