import { Layer } from "effect"
import { Concurrency } from "../http/limits/Concurrency.ts"
import { RequestTurns } from "../http/limits/RequestTurns.ts"
import { layerAssets } from "../http/service/DocsRoutes.ts"
import * as SandboxTools from "./sandbox/SandboxTools.ts"
import * as Customers from "./customers/CustomersPage.ts"
import * as Actions from "./documents/Actions.ts"
import * as Correction from "./documents/correction/CorrectionPage.ts"
import * as DocumentPage from "./documents/DocumentPage.ts"
import * as Exports from "./documents/Exports.ts"
import * as DocumentList from "./documents/ListPage.ts"
import * as DocumentFilesPart from "./documents/DocumentFilesPart.ts"
import * as Endpoints from "./endpoints/Endpoints.ts"
import * as DeliveryPage from "./events/DeliveryPage.ts"
import * as EventList from "./events/EventList.ts"
import * as EventPage from "./events/EventPage.ts"
import { copyScript, htmx, style } from "./frame/PortalLayout.ts"
import * as Routes from "./frame/PortalRoutes.ts"
import * as Home from "./home/HomePage.ts"
import * as RequestList from "./requests/RequestList.ts"
import * as RequestPage from "./requests/RequestPage.ts"
import * as Entrance from "./session/Entrance.ts"
import { Guard } from "./session/Guard.ts"
import * as Audit from "./setup/AuditPage.ts"
import * as Keys from "./setup/KeysPage.ts"
import * as Sessions from "./setup/SessionsPage.ts"
import * as Issuer from "./setup/issuer/Issuer.ts"
import * as Logo from "./setup/issuer/LogoPage.ts"
import * as Certificate from "./setup/live/CertificatePage.ts"
import * as Enablement from "./setup/live/EnablementPage.ts"
import * as Software from "./setup/live/SoftwarePage.ts"
import * as Ranges from "./setup/ranges/Ranges.ts"
import * as SetupOverview from "./setup/SetupOverview.ts"

const documents = Layer.mergeAll(
  DocumentList.layer,
  Exports.layer,
  DocumentPage.layer,
  DocumentFilesPart.layer,
  Actions.layer,
  Correction.layer
)

const setup = Layer.mergeAll(
  SetupOverview.layer,
  Issuer.layer,
  Logo.layer,
  Certificate.layer,
  Software.layer,
  Enablement.layer,
  Ranges.layer,
  Keys.layer,
  Sessions.layer,
  Audit.layer
)

/** The portal: pages in which people view and manage their account. Requires `LocalApi` and the stores. */
export const layer = Layer.mergeAll(
  layerAssets([style, htmx, copyScript]),
  Entrance.layer,
  Home.layer,
  documents,
  Customers.layer,
  EventList.layer,
  EventPage.layer,
  DeliveryPage.layer,
  Endpoints.layer,
  RequestList.layer,
  RequestPage.layer,
  setup,
  SandboxTools.layer,
  Routes.rest
).pipe(Layer.provide([Guard.layer, Concurrency.layer, RequestTurns.layer]))
