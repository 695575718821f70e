import { nbsp } from "./Figures.ts"
import type { FiscalDocument } from "../../ubl/FiscalDocument.ts"
import { identificationWords, placeWords, responsibilityWords } from "./PrintedWords.ts"
import { type Block, joined, type Said } from "./Said.ts"
import type { Tongue } from "./Tongue.ts"

type Issuer = FiscalDocument["issuer"]
type Acquirer = FiscalDocument["acquirer"]

const dot = " · "

const nameOf = ({ legal_name, trade_name }: Issuer | Acquirer) => trade_name ?? legal_name

const otherName = (party: Issuer | Acquirer) => (nameOf(party) === party.legal_name ? undefined : party.legal_name)

const vatWords = ({ vat_responsible }: Issuer) =>
  vat_responsible === undefined ? undefined : vat_responsible ? "Responsable de IVA" : "No responsable de IVA"

const activityWords = ({ economic_activities = [] }: Issuer) =>
  economic_activities.length === 0
    ? undefined
    : `${economic_activities.length === 1 ? "Actividad" : "Actividades"} ${economic_activities.join(", ")}`

/** The issuer under its trade name: its names, its contact data, and its tax registration. */
export const sellerOf = ({ issuer }: FiscalDocument, { isBilingual }: Tongue) => ({
  name: nameOf(issuer),
  said: [
    ...joined(dot, [otherName(issuer), identificationWords(issuer.identification)]),
    ...joined(
      dot,
      [
        [issuer.address, issuer.postal_code, placeWords(issuer), isBilingual ? "Colombia" : undefined]
          .filter((part) => part !== undefined)
          .join(", "),
        issuer.phone,
        issuer.email
      ],
      "quiet"
    ),
    ...joined(
      dot,
      [
        vatWords(issuer),
        ...responsibilityWords(issuer.tax_responsibilities),
        activityWords(issuer),
        issuer.merchant_registration === undefined
          ? undefined
          : `Matrícula${nbsp}mercantil${nbsp}${issuer.merchant_registration}`
      ],
      "quiet"
    )
  ] as ReadonlyArray<Said>
})

/** "NIT 900.373.115-3", under the issuer's name at the top of every further page. */
export const sellerId = ({ issuer }: FiscalDocument): string => identificationWords(issuer.identification)

export const buyerOf = ({ acquirer }: FiscalDocument, { both }: Tongue): Block => {
  const isPlaced = acquirer.city_code !== undefined || acquirer.country_code !== undefined
  return {
    title: both("Cliente", "Customer"),
    said: [
      { text: nameOf(acquirer), tone: "bold" },
      ...joined("", [otherName(acquirer)]),
      ...joined("", [identificationWords(acquirer.identification)]),
      ...joined(", ", [acquirer.address, acquirer.postal_code, isPlaced ? placeWords(acquirer) : undefined], "quiet"),
      ...joined(dot, [acquirer.phone, acquirer.email], "quiet"),
      ...joined(dot, responsibilityWords(acquirer.tax_responsibilities ?? []), "quiet")
    ]
  }
}
