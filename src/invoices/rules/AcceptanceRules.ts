import type { Acceptance, AcceptanceCode, AcceptanceStatus, ClaimCode } from "../../../schemas/Acceptance.ts"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"

/**
 * An event of an invoice on credit terms, in the authority's records: the buyer's response, or a statement of the
 * issuer.
 */
export interface AuthorityEvent {
  readonly code: AcceptanceCode
  /** Unix milliseconds. */
  readonly at: number
  /** The party that has registered the event; null if the authority does not name it. */
  readonly by: string | null
  /** The reason of a claim; null for other events, or if the authority gives none. */
  readonly claim: ClaimCode | null
}

const names: Readonly<Record<AcceptanceCode, readonly [name: string, name_en: string]>> = {
  "030": ["Acuse de recibo de Factura Electrónica de Venta", "Acknowledgement of receipt of the invoice"],
  "031": ["Reclamo de la Factura Electrónica de Venta", "Claim against the invoice"],
  "032": ["Recibo del bien y/o prestación del servicio", "Receipt of the goods or services"],
  "033": ["Aceptación expresa", "Express acceptance"],
  "034": ["Aceptación tácita", "Tacit acceptance"]
}

const reasons: Readonly<Record<ClaimCode, string>> = {
  "01": "Documento con inconsistencias",
  "02": "Mercancía no entregada totalmente",
  "03": "Mercancía no entregada parcialmente",
  "04": "Servicio no prestado"
}

// The first registered code of this list gives the status, whenever it was registered: an acceptance is irrevocable by
// law, and an invoice with a buyer's claim is accepted only after the claim is settled.
const ranking: ReadonlyArray<readonly [AcceptanceCode, AcceptanceStatus]> = [
  ["033", "accepted"],
  ["034", "accepted_tacitly"],
  ["031", "claimed"],
  ["032", "received"],
  ["030", "acknowledged"]
]

/** Whether a buyer can accept the document or claim against it: an invoice on credit terms (payment form 2). */
export const isOnCredit = (document: {
  readonly kind: DocumentKind
  readonly payment_means: { readonly type: string }
}): boolean => document.kind === "invoice" && document.payment_means.type === "2"

/**
 * The events after which Folio no longer queries the authority. After a claim, Folio continues, because the buyer may
 * still accept.
 */
export const finalCodes: ReadonlyArray<AcceptanceCode> = ["033", "034"]

const orderOf = ({ at, by, claim, code }: AuthorityEvent) => [at, code, by ?? "", claim ?? ""] as const

const compare = (a: AuthorityEvent, b: AuthorityEvent): number => {
  const [left, right] = [orderOf(a), orderOf(b)]
  const place = left.findIndex((value, index) => value !== right[index])
  return place === -1 ? 0 : left[place]! < right[place]! ? -1 : 1
}

/** Each event once, by its earliest registration, in the order of time. */
export const eventsOnce = (events: Iterable<AuthorityEvent>): ReadonlyArray<AuthorityEvent> =>
  [...Map.groupBy(events, ({ code }) => code).values()].map((same) => same.toSorted(compare)[0]!).toSorted(compare)

/** An event in the form of the API, without its time. */
export const eventView = ({ by, claim, code }: Omit<AuthorityEvent, "at">) => ({
  code,
  name: names[code][0],
  name_en: names[code][1],
  ...(by === null ? {} : { by }),
  ...(claim === null ? {} : { reason_code: claim, reason: reasons[claim] })
})

/** The buyer's response, from the events in any order. `isOver`: Folio no longer queries the authority. */
export const acceptanceOf = (events: Iterable<AuthorityEvent>, isOver: boolean): Acceptance => {
  const once = eventsOnce(events)
  const shown = once.map((event) => ({ ...eventView(event), at: timestamp(event.at) }))
  const [code, status = isOver ? "unanswered" : "pending"] =
    ranking.find(([ranked]) => once.some((event) => event.code === ranked)) ?? []
  return { status, at: shown.find((event) => event.code === code)?.at ?? null, events: shown }
}
