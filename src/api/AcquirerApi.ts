import { KnownAcquirer } from "../../schemas/Acquirer.ts"
import { get, group, identificationParams } from "./Endpoint.ts"

export class AcquirersApi extends group(
  "acquirers",
  "Acquirers",
  "The tax authority's records of buyers.",
  get("retrieveAcquirer", "/v1/acquirers/:id", {
    params: identificationParams,
    success: KnownAcquirer,
    summary: "Look up an acquirer",
    description:
      "Returns a buyer's name and email address from the tax authority's records. Folio caches each record for a day. With a live key, the account needs its issuer and certificate. In the sandbox, the authority has records of the test identifications 31-900000001 to 31-900000008. If the authority has no record of the buyer, Folio returns 404. An account can make 60 look-ups of uncached buyers per minute.",
    handling: { takesOwnTurns: true }
  })
) {}
