import { LoggedRequestPage, LoggedRequestQuery, LoggedRequestWithBodies } from "../../schemas/Request.ts"
import { get, group, nextPage, params } from "./Endpoint.ts"

export class RequestsApi extends group(
  "requests",
  "Requests",
  "Request log: the requests with keys of the account in this mode, and their responses. Folio keeps each request for seven days.",
  get("listRequests", "/v1/requests", {
    query: LoggedRequestQuery,
    success: LoggedRequestPage,
    summary: "List requests",
    description: `Lists the requests of the last seven days without their bodies, newest first. ${nextPage} A request appears within a second. The log excludes requests for the log itself, requests with an unknown API key and requests for unknown paths.`
  }),
  get("retrieveRequest", "/v1/requests/:id", {
    params,
    success: LoggedRequestWithBodies,
    summary: "Retrieve a request",
    description:
      "Returns a request with its bodies. The log never has secrets. Folio masks personal data unless the account's `request_log` is `full`. While `request_log` is `off`, Folio logs nothing."
  })
) {}
