import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AuthorityTrouble } from "../../schemas/AuthorityTrouble.ts"
import { field } from "../../schemas/Field.ts"
import { Timestamp } from "../../schemas/Money.ts"
import { Errors } from "./Errors.ts"

const Health = Schema.Struct({ status: Schema.Literal("ok") }).annotate({
  identifier: "Health",
  description: "The check passed."
})

const Authority = Schema.Struct({
  status: field(
    Schema.Literals(["unreachable", "failing", "refusing"]),
    "`unreachable`: no connection or no answer. `failing`: answers that are errors. `refusing`: calls are refused.",
    "unreachable"
  ),
  trouble: field(AuthorityTrouble, "What keeps calls from their answer, for programs.", "connection_refused"),
  message: field(
    Schema.String,
    "What is wrong and what happens to documents meanwhile, for people.",
    "The authority's service takes no connections. Documents wait."
  ),
  since: field(Timestamp, "Since when calls of the authority meet this trouble.")
}).annotate({
  identifier: "AuthorityHealth",
  description: "The trouble that calls of the live tax authority meet. Absent while there is none."
})

const Readiness = Schema.Struct({
  status: Schema.Literal("ok"),
  authority: Schema.optionalKey(Authority)
}).annotate({
  identifier: "Readiness",
  description: "The check passed: requests are served, also while the tax authority is in trouble."
})

export class HealthApi extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("live", "/health/live", { success: Health })
      .annotate(OpenApi.Summary, "Check that the process runs")
      .annotate(OpenApi.Description, "Answers 200 while the process runs, also when its database cannot be reached.")
  )
  .add(
    HttpApiEndpoint.get("ready", "/health/ready", { success: Readiness })
      .annotate(OpenApi.Summary, "Check that the process can serve: its database takes changes, and its actors run")
      .annotate(
        OpenApi.Description,
        "For load balancers: any answer but 200 means that requests should go to another process for now. While calls of the live tax authority fail, the answer is still 200, because documents are taken all the same, and `authority` says what is wrong."
      )
  )
  .middleware(Errors)
  .annotate(OpenApi.Title, "Health")
  .annotate(OpenApi.Description, "Checks for load balancers and monitors; no API key needed.") {}
