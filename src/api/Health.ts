import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Errors } from "./Errors.ts"

const Health = Schema.Struct({ status: Schema.Literal("ok") }).annotate({ identifier: "Health" })

export class HealthApi extends HttpApiGroup.make("health")
  .add(HttpApiEndpoint.get("live", "/health/live", { success: Health }).annotate(OpenApi.Summary, "The process runs"))
  .add(
    HttpApiEndpoint.get("ready", "/health/ready", { success: Health.pipe(HttpApiSchema.status(200)) }).annotate(
      OpenApi.Summary,
      "The process can do its work: it has its share of the actors, and its database answers"
    )
  )
  .middleware(Errors)
  .annotate(OpenApi.Title, "Health") {}
