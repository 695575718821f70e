import { type DocumentDetails, invoiceDetails, type PaymentMeans } from "../../../schemas/DocumentDetails.ts"
import { shortened } from "./Decimal.ts"

const names = Object.keys(invoiceDetails) as ReadonlyArray<keyof DocumentDetails>

const isGiven = (value: unknown): boolean => value !== undefined && (!Array.isArray(value) || value.length > 0)

/** The optional parts of a request or a document; null if it has none. An empty list is no part. */
export const detailsOf = (document: DocumentDetails): DocumentDetails | null => {
  const given = names.filter((name) => isGiven(document[name]))
  return given.length === 0 ? null : Object.fromEntries(given.map((name) => [name, document[name]]))
}

// The fields of lines and documents whose figures may have more than two fraction digits.
const figures = new Set(["quantity", "unit_price", "unit_amount", "units", "rate", "percent", "exchange_rate"])

const isLong = (name: string, value: unknown): value is string =>
  typeof value === "string" && value.endsWith("0") && value.at(-3) !== "." && (figures.has(name) || name === "amount")

/** Whether a payment was due before `today` (YYYY-MM-DD). */
export const isPast = ({ due_date }: PaymentMeans, today: string): boolean => due_date !== undefined && due_date < today

const withoutPastDate = (payment: PaymentMeans, today: string): PaymentMeans => {
  if (payment.type === "2" || !isPast(payment, today)) return payment
  const { due_date: _due_date, ...rest } = payment
  return rest
}

interface Paid {
  readonly payment_means?: PaymentMeans
  readonly other_payment_means?: ReadonlyArray<PaymentMeans>
}

/**
 * The form in which Folio stores a request on `today` (YYYY-MM-DD): `truncated`, without the past due dates of sales
 * with immediate payment.
 */
export const storedForm = <A extends Paid>(request: A, today: string): A => {
  const { other_payment_means, payment_means } = request
  return truncated({
    ...request,
    ...(payment_means === undefined ? {} : { payment_means: withoutPastDate(payment_means, today) }),
    ...(other_payment_means === undefined
      ? {}
      : { other_payment_means: other_payment_means.map((payment) => withoutPastDate(payment, today)) })
  })
}

/**
 * The form in which Folio stores a request: no figure has zeros beyond its second fraction digit, as in responses,
 * codes and documents. The same value if no figure has these zeros.
 */
export const truncated = <A>(value: A): A => {
  if (typeof value !== "object" || value === null) return value
  let changed: { [name: string]: unknown } | undefined
  for (const [name, part] of Object.entries(value)) {
    if (name === "metadata") continue
    const next: unknown = isLong(name, part) ? shortened(part) : truncated<unknown>(part)
    if (next !== part) changed = { ...(changed ?? value), [name]: next }
  }
  if (changed === undefined) return value
  return (Array.isArray(value) ? Object.values(changed) : changed) as A
}
