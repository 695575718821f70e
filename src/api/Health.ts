import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Errors } from "./Errors.ts"

const Health = Schema.Struct({ status: Schema.Literal("ok") }).annotate({
  identifier: "Health",
  description: "The check passed."
})

export class HealthApi extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("live", "/health/live", { success: Health })
      .annotate(OpenApi.Summary, "Check that the process runs")
      .annotate(OpenApi.Description, "Answers 200 while the process runs, also when its database cannot be reached.")
  )
  .add(
    HttpApiEndpoint.get("ready", "/health/ready", { success: Health })
      .annotate(OpenApi.Summary, "Check that the process can serve: its database takes changes, and its actors run")
      .annotate(
        OpenApi.Description,
        "For load balancers: any answer but 200 means that requests should go to another process for now."
      )
  )
  .middleware(Errors)
  .annotate(OpenApi.Title, "Health")
  .annotate(OpenApi.Description, "Checks for load balancers and monitors; no API key needed.") {}
