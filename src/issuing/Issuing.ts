import { Layer } from "effect"
import { Printing } from "../documents/print/Printing.ts"
import { AuthorityCalls } from "./AuthorityCalls.ts"
import { AuthorityQueue } from "./AuthorityQueue.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import { Contingency } from "./Contingency.ts"
import { Failures } from "./Failures.ts"
import { LiveReadiness } from "./LiveReadiness.ts"
import { Mailing } from "./Mailing.ts"
import * as Papers from "./Papers.ts"
import { Redating } from "./Redating.ts"
import { Signing } from "./Signing.ts"
import { Steps } from "./Steps.ts"
import { Submission } from "./Submission.ts"

/** The files and e-mail parcels of documents. */
export const papersLayer = Papers.layer.pipe(Layer.provide([Signing.layer, Printing.layer]))

/** The services that take a document from its number to the e-mail to its buyer. */
export const layer = Layer.mergeAll(Submission.layer, Mailing.layer, LiveReadiness.layer).pipe(
  Layer.provide([AuthorityCalls.layer, AuthorityQueue.layer, Contingency.layer, Failures.layer, Redating.layer]),
  Layer.provide([CircuitBreaker.layer, Steps.layer]),
  Layer.provideMerge(Signing.layer)
)
