import { Context } from "effect"

/** The service's version, and the base address of links in its answers, without a slash at the end. */
export class ServiceInfo extends Context.Service<ServiceInfo, { readonly version: string; readonly baseUrl: string }>()(
  "folio/api/ServiceInfo"
) {}
