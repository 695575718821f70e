import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Errors } from "./Errors.ts"

const Health = Schema.Struct({ status: Schema.Literal("ok") }).annotate({
  identifier: "Health",
  description: "All is well."
})

export class HealthApi extends HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("live", "/health/live", { success: Health })
      .annotate(OpenApi.Summary, "The process runs")
      .annotate(OpenApi.Description, "Answers while the process runs, whatever its database does.")
  )
  .add(
    HttpApiEndpoint.get("ready", "/health/ready", { success: Health.pipe(HttpApiSchema.status(200)) })
      .annotate(
        OpenApi.Summary,
        "The process can do its work: it has its share of the actors, and its database answers"
      )
      .annotate(
        OpenApi.Description,
        "For load balancers: anything but 200 means that requests should go elsewhere for now."
      )
  )
  .middleware(Errors)
  .annotate(OpenApi.Title, "Health")
  .annotate(OpenApi.Description, "For load balancers and monitors; no key needed.") {}
