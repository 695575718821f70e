import { Context, Effect, Layer } from "effect"
import type { describeOn } from "../support/Tests.ts"
import { installed, packed } from "./Installed.ts"

// The packages that the programs of test/examples use in addition to the service.
const ofExamples = ["effect", "@effect/platform-node", "fflate", "pdfkit", "@types/node", "@types/pdfkit"]

/**
 * The tarballs, and the folders with the installed packages: the client alone, and all packages of a team on Effect.
 */
export class Packages extends Context.Service<Packages>()("test/Packages", {
  make: Effect.gen(function* () {
    const tarballs = yield* packed
    const [alone, together] = yield* Effect.all(
      [installed([tarballs.client]), installed([tarballs.client, tarballs.service, ...ofExamples])],
      { concurrency: 2 }
    )
    return { ...tarballs, alone, together }
  })
}) {
  static readonly layer = Layer.effect(Packages, Packages.make)
}

/** The registration of a test that has the packages, and a service in memory for the programs to call. */
export type Test<R> = Parameters<Parameters<ReturnType<typeof describeOn<Packages | R, never>>>[1]>[0]
