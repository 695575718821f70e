import { HttpApi, OpenApi } from "effect/http-api"
import { currentVersion } from "../../schemas/Version.ts"
import { AccountApi } from "./AccountApi.ts"
import { AcquirersApi } from "./AcquirerApi.ts"
import { ApiKeysApi } from "./ApiKeyApi.ts"
import { CatalogsApi } from "./CatalogApi.ts"
import { CustomersApi } from "./CustomerApi.ts"
import { complete } from "./ApiDocument.ts"
import { EmailNoticesApi } from "./EmailNoticeApi.ts"
import { EventsApi } from "./EventApi.ts"
import { FilesApi } from "./FileApi.ts"
import { HealthApi } from "./HealthApi.ts"
import { InvoicesApi } from "./InvoiceApi.ts"
import { CreditNotesApi, DebitNotesApi } from "./NoteApi.ts"
import { NoticesApi } from "./NoticeApi.ts"
import { PlatformApi } from "./PlatformApi.ts"
import { PortalSessionsApi } from "./PortalSessionApi.ts"
import { AuditLogApi } from "./AuditLogApi.ts"
import { RequestsApi } from "./RequestApi.ts"
import { ResolutionsApi } from "./ResolutionApi.ts"
import { TestHelpersApi } from "./TestHelperApi.ts"
import { WebhookDeliveriesApi } from "./WebhookDeliveryApi.ts"
import { VersionsApi } from "./VersionApi.ts"
import { WebhookEndpointsApi } from "./WebhookEndpointApi.ts"

/** The HTTP API. It rejects unknown members, and reports all violations of a request together. */
export class Api extends HttpApi.make("folio")
  .add(
    AccountApi,
    PlatformApi,
    ApiKeysApi,
    PortalSessionsApi,
    CustomersApi,
    AcquirersApi,
    InvoicesApi,
    FilesApi,
    CreditNotesApi,
    DebitNotesApi,
    RequestsApi,
    AuditLogApi,
    ResolutionsApi,
    NoticesApi,
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
