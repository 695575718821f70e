import { HttpApi, OpenApi } from "effect/http-api"
import { currentVersion } from "../../schemas/Version.ts"
import { AccountApi } from "./Account.ts"
import { AcquirersApi } from "./Acquirers.ts"
import { ApiKeysApi } from "./ApiKeys.ts"
import { CatalogsApi } from "./Catalogs.ts"
import { CustomersApi } from "./Customers.ts"
import { complete } from "./Document.ts"
import { EmailNoticesApi } from "./EmailNotices.ts"
import { EventsApi } from "./Events.ts"
import { FilesApi } from "./Files.ts"
import { HealthApi } from "./Health.ts"
import { InvoicesApi } from "./Invoices.ts"
import { CreditNotesApi, DebitNotesApi } from "./Notes.ts"
import { PortalSessionsApi } from "./PortalSessions.ts"
import { RequestsApi } from "./Requests.ts"
import { ResolutionsApi } from "./Resolutions.ts"
import { TestHelpersApi } from "./TestHelpers.ts"
import { WebhookDeliveriesApi } from "./WebhookDeliveries.ts"
import { VersionsApi } from "./Versions.ts"
import { WebhookEndpointsApi } from "./WebhookEndpoints.ts"

/** The HTTP API. It rejects unknown members, and reports all violations of a request together. */
export class Api extends HttpApi.make("folio")
  .add(
    AccountApi,
    ApiKeysApi,
    PortalSessionsApi,
    CustomersApi,
    AcquirersApi,
    InvoicesApi,
    FilesApi,
    CreditNotesApi,
    DebitNotesApi,
    RequestsApi,
    ResolutionsApi,
    EventsApi,
    WebhookEndpointsApi,
    WebhookDeliveriesApi,
    CatalogsApi,
    TestHelpersApi,
    EmailNoticesApi,
    VersionsApi,
    HealthApi
  )
  .annotate(HttpApi.ParseOptions, { onExcessProperty: "error", errors: "all" })
  .annotate(HttpApi.HeadersParseOptions, {})
  // A response shows stored values, which passed the checks of their time.
  .annotate(HttpApi.SuccessParseOptions, { onExcessProperty: "error", disableChecks: true })
  .annotateMerge(
    OpenApi.annotations({
      title: "Folio",
      version: currentVersion,
      description: "Issues electronic invoices to the tax authority and reports their outcomes by signed webhooks.",
      license: { name: "MIT", identifier: "MIT" },
      // A relative URL, so that the document works at any address.
      servers: [{ url: "/", description: "This service" }],
      transform: complete
    })
  ) {}
