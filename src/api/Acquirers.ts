import { KnownAcquirer } from "../../schemas/Acquirer.ts"
import { get, group, identificationParams } from "./Endpoint.ts"

export class AcquirersApi extends group(
  "acquirers",
  "Acquirers",
  "Buyers as the tax authority knows them.",
  get("retrieveAcquirer", "/v1/acquirers/:id", {
    params: identificationParams,
    success: KnownAcquirer,
    summary: "Ask the tax authority for a buyer's name and e-mail address",
    description:
      "The authority's answer is kept for a day. With a live key the account needs its issuer and its certificate. In the sandbox the authority knows the sandbox's own identifications, 31-900000001 to 31-900000008. Whom the authority does not know is answered with 404. An account may ask 60 times a minute for buyers whose answer is not kept.",
    handling: { ownTurn: true }
  })
) {}
