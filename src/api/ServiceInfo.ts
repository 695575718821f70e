import { Context } from "effect"

/** How the service speaks of itself: its version, and the address that links in its answers begin with (no slash at the end). */
export class ServiceInfo extends Context.Service<ServiceInfo, { readonly version: string; readonly baseUrl: string }>()(
  "folio/api/ServiceInfo"
) {}
