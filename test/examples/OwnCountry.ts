/*
 * The service for another country, Syldavia, which signs, numbers and answers differently:
 *
 *   TAX_OFFICE_URL=https://tax.example.test node OwnCountry.ts
 */
import { main } from "@folio-einvoicing/service"
import { authority } from "./OwnAuthority.ts"
import { printer } from "./OwnPrinter.ts"
import { profile } from "./OwnProfile.ts"

main({ profile, authority, printer })
