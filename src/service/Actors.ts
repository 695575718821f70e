import { Layer } from "effect"
import * as Account from "../accounts/AccountActor.ts"
import * as Invoice from "../invoices/InvoiceActor.ts"
import * as NoticeWatch from "../operations/NoticeWatch.ts"
import * as Purger from "../operations/Purger.ts"
import * as Sweeper from "../operations/Sweeper.ts"
import * as Watch from "../operations/Watch.ts"
import * as WebhookEndpoint from "../webhooks/WebhookEndpointActor.ts"

/**
 * The actors (one for each account and mode, each document and each webhook endpoint) and the singletons `Sweeper`,
 * `Purger`, `Watch` and `NoticeWatch`.
 */
export const layer = Layer.mergeAll(
  Account.layer,
  Invoice.layer,
  Watch.layer,
  NoticeWatch.layer,
  WebhookEndpoint.layer,
  Sweeper.layer,
  Purger.layer
)
