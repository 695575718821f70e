import { Layer } from "effect"
import { BuyersAnswers } from "./acceptance/BuyersAnswers.ts"
import { AuthorityQueue } from "./AuthorityQueue.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import { EnablementReadiness } from "./enablement/EnablementReadiness.ts"
import { EnablementWork } from "./enablement/EnablementWork.ts"
import { Executor } from "./Executor.ts"
import { ShownAccounts } from "./accounts/ShownAccounts.ts"
import { LiveReadiness } from "./LiveReadiness.ts"
import { Mailing } from "./Mailing.ts"
import * as Papers from "./Papers.ts"
import { Signing } from "./Signing.ts"

/** The files and e-mails of documents. */
export const layerPapers = Layer.provide(Papers.layer, Signing.layer)

/** The services that take a document from its number to the e-mail to its buyer, and to what the buyer answers. */
export const layer = Layer.mergeAll(
  Executor.layer,
  Mailing.layer,
  LiveReadiness.layer,
  ShownAccounts.layer,
  BuyersAnswers.layer,
  EnablementWork.layer
).pipe(
  Layer.provide([AuthorityQueue.layer, CircuitBreaker.layer]),
  Layer.provideMerge(EnablementReadiness.layer),
  Layer.provideMerge(Signing.layer)
)
