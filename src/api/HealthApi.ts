import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AuthorityTrouble } from "../../schemas/AuthorityTrouble.ts"
import { field } from "../../schemas/Field.ts"
import { Timestamp } from "../../schemas/Money.ts"
import { Errors } from "./ErrorApi.ts"

const Health = Schema.Struct({ status: Schema.Literal("ok") }).annotate({
  identifier: "Health",
  description: "Result of the check: the process runs."
})

const Authority = Schema.Struct({
  status: field(
    Schema.Literals(["unreachable", "failing", "refusing"]),
    "Status of the live tax authority. `unreachable`: no connection or no response. `failing`: error responses. `refusing`: the authority refuses calls.",
    "unreachable"
  ),
  trouble: field(AuthorityTrouble, "Machine-readable cause of the failed calls.", "connection_refused"),
  message: field(
    Schema.String,
    "Message for people: the problem, and what happens to documents in the meantime.",
    "The authority's service takes no connections. Documents wait."
  ),
  since: field(Timestamp, "Time since which calls to the authority fail with this problem.")
}).annotate({
  identifier: "AuthorityHealth",
  description: "The problem with calls to the live tax authority. Absent while there is none."
})

const Readiness = Schema.Struct({
  status: Schema.Literal("ok"),
  authority: Schema.optionalKey(Authority)
}).annotate({
  identifier: "Readiness",
  description: "Result of the check: Folio serves requests, even during an outage of the tax authority."
})

export class HealthApi extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("live", "/health/live", { success: Health })
      .annotate(OpenApi.Summary, "Check liveness")
      .annotate(OpenApi.Description, "Returns 200 while the process runs, even if the database is unreachable.")
  )
  .add(
    HttpApiEndpoint.get("ready", "/health/ready", { success: Readiness })
      .annotate(OpenApi.Summary, "Check readiness")
      .annotate(
        OpenApi.Description,
        "Returns 200 if the process can serve requests: the database accepts changes, and the actors run. On any other status code, a load balancer should send requests to another process. If calls to the live tax authority fail, the status code stays 200, because Folio still accepts documents. `authority` then describes the problem."
      )
  )
  .middleware(Errors)
  .annotate(OpenApi.Title, "Health")
  .annotate(OpenApi.Description, "Health checks for load balancers and monitoring, without an API key.") {}
