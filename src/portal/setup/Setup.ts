import { Layer } from "effect"
import * as Certificate from "./live/Certificate.ts"
import * as Enablement from "./live/Enablement.ts"
import * as Issuer from "./issuer/Issuer.ts"
import * as Keys from "./access/Keys.ts"
import * as Logo from "./issuer/Logo.ts"
import * as SetupOverview from "./SetupOverview.ts"
import * as Ranges from "./ranges/Ranges.ts"
import * as Sessions from "./access/Sessions.ts"
import * as Software from "./live/Software.ts"

/** The pages of the setup. */
export const layer = Layer.mergeAll(
  Certificate.layer,
  Enablement.layer,
  Issuer.layer,
  Keys.layer,
  Logo.layer,
  Ranges.layer,
  Sessions.layer,
  SetupOverview.layer,
  Software.layer
)
