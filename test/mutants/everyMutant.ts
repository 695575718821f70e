import type { Mutant } from "./mutants.ts"
import { clusterMutants } from "./clusterMutants.ts"
import { connectionMutants } from "./connectionMutants.ts"
import { mailMutants } from "./mailMutants.ts"
import { paperMutants } from "./paperMutants.ts"
import { wireMutants } from "./wireMutants.ts"
import { mutants } from "./mutants.ts"

/** Every guard of the service that can be broken. */
export const everyMutant: ReadonlyArray<Mutant> = [
  ...mutants,
  ...clusterMutants,
  ...connectionMutants,
  ...mailMutants,
  ...paperMutants,
  ...wireMutants
]
