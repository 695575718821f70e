import { HttpApi, OpenApi } from "effect/http-api"
import { currentVersion } from "../../schemas/Version.ts"
import { AccountApi } from "./Account.ts"
import { ApiKeysApi } from "./ApiKeys.ts"
import { CatalogsApi } from "./Catalogs.ts"
import { complete } from "./Document.ts"
import { CreditNotesApi } from "./CreditNotes.ts"
import { DebitNotesApi } from "./DebitNotes.ts"
import { CustomersApi } from "./Customers.ts"
import { EmailNoticesApi } from "./EmailNotices.ts"
import { EventsApi } from "./Events.ts"
import { FilesApi } from "./Files.ts"
import { HealthApi } from "./Health.ts"
import { InvoicesApi } from "./Invoices.ts"
import { ResolutionsApi } from "./Resolutions.ts"
import { TestHelpersApi } from "./TestHelpers.ts"
import { WebhookDeliveriesApi } from "./WebhookDeliveries.ts"
import { VersionsApi } from "./Versions.ts"
import { WebhookEndpointsApi } from "./WebhookEndpoints.ts"

/** The interface. Unknown members are refused and all failures of a request are found at once. */
export class Api extends HttpApi.make("folio")
  .add(AccountApi)
  .add(ApiKeysApi)
  .add(CustomersApi)
  .add(InvoicesApi)
  .add(FilesApi)
  .add(CreditNotesApi)
  .add(DebitNotesApi)
  .add(ResolutionsApi)
  .add(EventsApi)
  .add(WebhookEndpointsApi)
  .add(WebhookDeliveriesApi)
  .add(CatalogsApi)
  .add(TestHelpersApi)
  .add(EmailNoticesApi)
  .add(VersionsApi)
  .add(HealthApi)
  .annotate(HttpApi.ParseOptions, { onExcessProperty: "error", errors: "all" })
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotateMerge(
    OpenApi.annotations({
      title: "Folio",
      version: currentVersion,
      description: "Issues electronic invoices to the tax authority and tells their outcome by signed webhooks.",
      license: { name: "MIT", identifier: "MIT" },
      // The service that serves the document, wherever that is.
      servers: [{ url: "/", description: "This service" }],
      transform: complete
    })
  ) {}
