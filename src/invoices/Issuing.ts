import { Layer } from "effect"
import { AuthorityTurns } from "./AuthorityTurns.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import { Executor } from "./Executor.ts"
import { Mailing } from "./Mailing.ts"
import * as IssuedFiles from "./IssuedFiles.ts"
import { Signing } from "./Signing.ts"

/** The files and emails of documents. */
export const layerDocumentFiles = Layer.provide(IssuedFiles.layer, Signing.layer)

/** The services of a document from its number to the email to its buyer and the buyer's response. */
export const layer = Layer.mergeAll(Executor.layer, Mailing.layer).pipe(
  Layer.provideMerge([AuthorityTurns.layer, CircuitBreaker.layer, Signing.layer])
)
