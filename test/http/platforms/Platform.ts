import { Effect } from "effect"
import { createPlatform } from "../../../src/accounts/store/Operations.ts"
import { bearer, post } from "../../support/apps/Requests.ts"

/** A platform with its test key. */
export const platform = Effect.fnUntraced(function* (
  accounts_max: number | null = null,
  return_hosts: ReadonlyArray<string> = []
) {
  const made = yield* createPlatform("Plataforma", { accounts_max, return_hosts })
  return { ...made, headers: bearer(made.key) }
})

let digits = 900_100_000

const checkDigit = (nit: string): string => {
  const primes = [3, 7, 13, 17, 19, 23, 29, 37, 41, 43, 47, 53, 59, 67, 71]
  const sum = [...nit].toReversed().reduce((total, digit, index) => total + Number(digit) * (primes[index] ?? 0), 0)
  return String(sum % 11 < 2 ? sum % 11 : 11 - (sum % 11))
}

/** The body of a new account, with a NIT of its own. */
export const newAccount = () => {
  const number = String(digits++)
  return {
    identification: { type: "31", number, check_digit: checkDigit(number) },
    legal_name: `Emisor ${number} S.A.S.`,
    organization_type: "1",
    email: "facturas@emisor.test",
    address: "Calle 13 # 8-20",
    city_code: "11001",
    department_code: "11",
    country_code: "CO"
  }
}

/** The headers of a platform that acts for an account. */
export const acting = (of: { readonly key: string }, account: string) => ({
  ...bearer(of.key),
  "svc-account": account
})

/** A new account of a platform. */
export const accountOf = (of: { readonly key: string }) =>
  Effect.map(post("/v1/accounts", newAccount(), bearer(of.key)), ({ json }) => String(json.id))
