/*
 * The service for Syldavia, a country with its own numbers, signatures and authority:
 *
 *   TAX_OFFICE_URL=https://tax.example.test node OwnCountry.ts
 */
import { main } from "@folio-einvoicing/service"
import { authority } from "./OwnAuthority.ts"
import { printer } from "./OwnPrinter.ts"
import { profile } from "./OwnProfile.ts"

main({ profile, authority, printer })
