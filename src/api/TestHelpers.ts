import { AdvanceRequest, AuthorityModeRequest, ClockAdvance, SandboxAuthority } from "../../schemas/TestHelper.ts"
import { group, post } from "./Endpoint.ts"

export class TestHelpersApi extends group(
  "testHelpers",
  "Test helpers",
  "For tests: how the simulated tax authority behaves, and how time passes in the test mode.",
  post("setSandboxAuthority", "/v1/test-helpers/authority", {
    payload: AuthorityModeRequest,
    success: SandboxAuthority,
    summary: "Set how the simulated tax authority behaves, in general or for the next documents",
    description:
      "Only with a test key. Applies to the test mode of this account and to no other account. While the simulated authority is `down`, documents are issued in contingency, as in an outage of the real authority. `next` scripts the account's next documents one by one, in the order of their creation; a document keeps the script that it took."
  }),
  post("advanceClock", "/v1/test-helpers/advance", {
    payload: AdvanceRequest,
    success: ClockAdvance,
    summary: "Advance the clock of the test mode: planned attempts come sooner",
    description:
      "Only with a test key. Planned attempts of documents, e-mails and webhook deliveries of this account's test mode come sooner, and an outage of its simulated authority counts as longer. Dates that stand in documents do not change."
  })
) {}
