import type { Mutant } from "./Mutant.ts"
import { accountMutants } from "./accountMutants.ts"
import { clusterMutants } from "./clusterMutants.ts"
import { connectionMutants } from "./connectionMutants.ts"
import { enablementMutants } from "./enablement/enablementMutants.ts"
import { figureMutants } from "./figureMutants.ts"
import { mailMutants } from "./mailMutants.ts"
import { documentMutants } from "./documentMutants.ts"
import { platformMutants } from "./platformMutants.ts"
import { portMutants } from "./portMutants.ts"
import { portalMutants } from "./portal/portalMutants.ts"
import { readMutants } from "./readMutants.ts"
import { requestMutants } from "./requestMutants.ts"
import { startMutants } from "./startMutants.ts"
import { stepMutants } from "./steps/stepMutants.ts"
import { wireMutants } from "./wireMutants.ts"
import { mutants } from "./mutants.ts"

/** Every mutant of the service. */
export const everyMutant: ReadonlyArray<Mutant> = [
  ...mutants,
  ...accountMutants,
  ...clusterMutants,
  ...connectionMutants,
  ...enablementMutants,
  ...figureMutants,
  ...mailMutants,
  ...documentMutants,
  ...platformMutants,
  ...portMutants,
  ...portalMutants,
  ...readMutants,
  ...requestMutants,
  ...startMutants,
  ...stepMutants,
  ...wireMutants
]
