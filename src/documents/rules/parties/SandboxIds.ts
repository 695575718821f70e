import type { Issuer } from "../../../../schemas/Account.ts"
import type { CustomerRequest } from "../../../../schemas/Customer.ts"
import type { ResolutionRequest } from "../../../../schemas/Resolution.ts"
import { sandboxIdentification } from "./CheckDigit.ts"

/** The data with which Folio begins in test mode for a country. */
export interface Sandbox {
  /** The issuer of the account that the first start makes. */
  readonly issuer: Issuer
  /** The range of the authority's test environment, which every account has in test mode from the start. */
  readonly range: ResolutionRequest
  /** A sample customer, which the first start shows. */
  readonly customer: CustomerRequest
}

/** The sandbox of Colombia. */
export const colombianSandbox: Sandbox = {
  issuer: {
    identification: { type: "31", number: "900373115", check_digit: "3" },
    legal_name: "Folio Sandbox S.A.S.",
    organization_type: "1",
    email: "facturas@folio.test",
    address: "Carrera 7 71-21",
    city_code: "11001",
    department_code: "11",
    country_code: "CO",
    tax_responsibilities: ["R-99-PN"]
  },
  range: {
    number: "18760000001",
    prefix: "SETP",
    from_number: 990_000_000,
    to_number: 995_000_000,
    valid_from: "2019-01-19",
    valid_to: "2030-01-19",
    technical_key: "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c"
  },
  customer: { identification: sandboxIdentification, legal_name: "Cliente de Prueba S.A.S.", organization_type: "1" }
}
