import { LoggedRequestPage, LoggedRequestQuery, LoggedRequestWithBodies } from "../../schemas/Request.ts"
import { get, group, nextPage, params } from "./Endpoint.ts"

export class RequestsApi extends group(
  "requests",
  "Requests",
  "The request log: the requests that were made with keys of the account in this mode, and their answers. A request is kept for seven days.",
  get("listRequests", "/v1/requests", {
    query: LoggedRequestQuery,
    success: LoggedRequestPage,
    summary: "List the requests of the last seven days, newest first, without their bodies",
    description: `${nextPage} A request appears within a second. Requests for the log itself, requests with an unknown API key and requests for unknown paths are not in the log.`
  }),
  get("retrieveRequest", "/v1/requests/:id", {
    params,
    success: LoggedRequestWithBodies,
    summary: "Retrieve a request with its bodies",
    description:
      "Secrets are never in the log. Personal data is masked unless the account's `request_log` is `full`. While `request_log` is `off`, nothing is logged."
  })
) {}
