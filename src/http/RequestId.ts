import { Context } from "effect"
import type { RequestId as Id } from "../../schemas/Id.ts"

/** The id of the request being answered: in its `Request-Id` header, its errors and every log line it causes. */
export class RequestId extends Context.Service<RequestId, Id>()("folio/http/RequestId") {}
