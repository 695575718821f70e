import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AdvanceRequest, AuthorityModeRequest, ClockAdvance, SandboxAuthority } from "../../schemas/TestHelper.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, honouredKeyHeaders, IdempotencyKey } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

export class TestHelpersApi extends HttpApiGroup.make("testHelpers")
  .add(
    HttpApiEndpoint.post("setSandboxAuthority", "/v1/test-helpers/authority", {
      headers: honouredKeyHeaders,
      payload: AuthorityModeRequest,
      success: SandboxAuthority
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Say how the simulated authority of this account is, until it is said again")
      .annotate(
        OpenApi.Description,
        "With a test key only. It holds for this account's test mode, and for nobody else. While it is `down`, documents are issued in contingency as in a real outage."
      )
  )
  .add(
    HttpApiEndpoint.post("advanceClock", "/v1/test-helpers/advance", {
      headers: honouredKeyHeaders,
      payload: AdvanceRequest,
      success: ClockAdvance
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Make all that waits due sooner, as if so much time had passed")
      .annotate(
        OpenApi.Description,
        "With a test key only: retries of documents and of webhook deliveries of this account's test mode, and how long its authority has been away. What was dated stays as it is."
      )
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Test helpers")
  .annotate(OpenApi.Description, "What the sandbox's authority does, and how time passes there.") {}
