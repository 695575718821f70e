import { Layer } from "effect"
import * as Account from "./Account.ts"
import * as Invoice from "./Invoice.ts"
import * as Purger from "./Purger.ts"
import * as Sweeper from "./Sweeper.ts"
import * as Watch from "./Watch.ts"
import * as WebhookEndpoint from "./WebhookEndpoint.ts"

/**
 * The actors (one for each account and mode, each document and each webhook endpoint) and the singletons `Sweeper`,
 * `Purger` and `Watch`.
 */
export const layer = Layer.mergeAll(
  Account.layer,
  Invoice.layer,
  Watch.layer,
  WebhookEndpoint.layer,
  Sweeper.layer,
  Purger.layer
)
