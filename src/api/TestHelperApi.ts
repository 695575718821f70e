import { AdvanceRequest, AuthorityModeRequest, ClockAdvance, SandboxAuthority } from "../../schemas/TestHelper.ts"
import { group, post } from "./Endpoint.ts"

export class TestHelpersApi extends group(
  "testHelpers",
  "Test helpers",
  "Sandbox tools: control the simulated tax authority and the test clock.",
  post("setSandboxAuthority", "/v1/test-helpers/authority", {
    payload: AuthorityModeRequest,
    success: SandboxAuthority,
    summary: "Set up the simulated authority",
    description:
      "Sets the general mode of the simulated tax authority, or scripts for the next documents. Requires a test key. The settings affect only the test mode of this account. While the simulated authority is `down`, Folio issues documents in contingency, as in an outage of the real authority. `next` holds a script for each of the account's next documents, in the order of their creation. A document keeps its script."
  }),
  post("advanceClock", "/v1/test-helpers/advance", {
    payload: AdvanceRequest,
    success: ClockAdvance,
    summary: "Advance the test clock",
    description:
      "Advances the clock of this account's test mode. Requires a test key. Folio makes the scheduled attempts for documents, emails and webhook deliveries sooner. An outage of the simulated authority counts as longer. Dates in documents stay the same."
  })
) {}
