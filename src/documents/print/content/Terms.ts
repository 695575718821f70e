import type { PaymentMeans } from "../../../../schemas/DocumentDetails.ts"
import { dateInEnglish, dateWords, daysBetween, money, nbsp, periodWords } from "./Figures.ts"
import type { FiscalDocument } from "../../ubl/FiscalDocument.ts"
import {
  conceptWords,
  currencyWords,
  exchangeWords,
  incotermName,
  meansName,
  operationWords,
  placeWords
} from "./PrintedWords.ts"
import { type Block, joined, linesOf, type Said } from "./Said.ts"
import type { Tongue } from "./Tongue.ts"

/** The headline of a document: the amount due and the due date. The Spanish ends with the most important words. */
export interface Due {
  readonly words: string
  readonly until: string
  readonly english?: string
  readonly amount: string
}

const onCredit = "2"

const credit = ({ issue_date, payment_means }: FiscalDocument, due: string) => {
  const days = payment_means.type === onCredit ? daysBetween(issue_date, due) : 0
  if (days <= 0) return [undefined, undefined] as const
  return days === 1 ? (["a 1 día", "in 1 day"] as const) : ([`a ${days}${nbsp}días`, `in ${days}${nbsp}days`] as const)
}

export const dueOf = (document: FiscalDocument, { isBilingual }: Tongue): Due => {
  const { currency, issue_date, kind, payment_means, totals } = document
  const amount = money(totals.due_amount ?? totals.payable_amount, currency)
  const [words, inEnglish] =
    totals.due_amount === undefined ? ["Total a pagar", "Amount due"] : ["Saldo por pagar", "Balance due"]
  const english = (text: string) => (isBilingual ? { english: text } : {})
  if (kind === "credit_note") {
    return {
      words: "Total de la nota crédito,",
      until: "a favor del cliente",
      amount,
      ...english("Total credit note, in favour of the customer")
    }
  }
  const due = payment_means.due_date ?? issue_date
  if (payment_means.type !== onCredit && due === issue_date) {
    return {
      words,
      until: `de contado, el ${dateWords(due)}`,
      amount,
      ...english(`${inEnglish} on ${dateInEnglish(due)}`)
    }
  }
  const [term, termInEnglish] = credit(document, due)
  return {
    words: term === undefined ? words : `${words} ${term},`,
    until: `hasta el ${dateWords(due)}`,
    amount,
    ...english(`${inEnglish}${termInEnglish === undefined ? "" : ` ${termInEnglish}`}, by ${dateInEnglish(due)}`)
  }
}

const sentence = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Longer instructions need the space next to the totals. */
const shortInstructions = 120

/** The payment instructions of the issuer; none on a credit note. */
const instructionsOf = ({ issuer, kind }: FiscalDocument) =>
  kind === "credit_note" ? [] : linesOf(issuer.payment_instructions ?? "")

const isShort = (lines: ReadonlyArray<string>) => lines.length <= 3 && lines.join("").length <= shortInstructions

/** A name within a sentence, without its initial capital. A name in capitals keeps them. */
const withinSentence = (name: string) =>
  /^\p{Lu}\p{Ll}/u.test(name) ? name.slice(0, 1).toLowerCase() + name.slice(1) : name

const meansWords = ({ code }: PaymentMeans, { both }: Tongue) => both(meansName(code), meansName(code, "name_en"))

const meansUnder = (means: PaymentMeans, { both }: Tongue) =>
  joined(
    "",
    [means.reference === undefined ? undefined : `${both("Referencia", "Reference")} ${means.reference}`],
    "quiet"
  )

const payment = (document: FiscalDocument, tongue: Tongue): Block => {
  const { other_payment_means = [], payment_means: means } = document
  const isCredit = means.type === onCredit
  const agreed = tongue
    .each(
      `${isCredit ? "Crédito" : "Contado"}, ${withinSentence(meansName(means.code))}`,
      `${isCredit ? "Credit" : "Immediate payment"}, ${withinSentence(meansName(means.code, "name_en"))}`
    )
    .map((text, index): Said => (index === 0 ? { text } : { text, tone: "quiet" }))
  const instructions = instructionsOf(document)
  return {
    title: tongue.both("Pago", "Payment"),
    said: [
      ...agreed,
      ...meansUnder(means, tongue),
      ...other_payment_means.flatMap((other) => [
        ...joined(", ", [
          meansWords(other, tongue),
          other.due_date === undefined ? undefined : `hasta el ${dateWords(other.due_date)}`
        ]),
        ...meansUnder(other, tongue)
      ]),
      ...(isShort(instructions) ? instructions.map((text): Said => ({ text, tone: "quiet" })) : [])
    ]
  }
}

const reference = (title: string, found: FiscalDocument["order_reference"]): ReadonlyArray<Block> =>
  found === undefined
    ? []
    : [
        {
          title,
          said: [
            { text: found.id },
            ...joined("", [found.issue_date === undefined ? undefined : dateWords(found.issue_date)], "quiet")
          ]
        }
      ]

const one = (
  title: string,
  text: string | undefined,
  ...under: ReadonlyArray<string | undefined>
): ReadonlyArray<Block> =>
  text === undefined ? [] : [{ title, said: [{ text }, ...under.flatMap((words) => joined("", [words], "quiet"))] }]

/** A name in Spanish and, for a buyer abroad, in English below it. */
const spoken = (title: string, name: readonly [string, string] | undefined, { each }: Tongue): ReadonlyArray<Block> => {
  if (name === undefined) return []
  const [es = "", ...en] = each(...name)
  return one(title, sentence(es), ...en.map(sentence))
}

const delivery = ({ delivery: found }: FiscalDocument, { both }: Tongue): ReadonlyArray<Block> => {
  if (found === undefined) return []
  const isPlaced = found.city_code !== undefined || found.country_code !== undefined
  const said = [
    ...joined("", [found.date === undefined ? undefined : dateWords(found.date)]),
    ...joined(", ", [found.address, isPlaced ? placeWords(found) : undefined], "quiet")
  ]
  return said.length === 0 ? [] : [{ title: both("Entrega", "Delivery"), said }]
}

const isWithoutInvoice = ({ correction }: FiscalDocument) => correction !== null && correction.invoice === null

/** The terms between the parties: payment, references, delivery, currency. */
export const termsOf = (document: FiscalDocument, tongue: Tongue): ReadonlyArray<Block> => {
  const { both } = tongue
  const { currency, exchange_rate, exchange_rate_date, incoterm, issue_date, period } = document
  const operation = operationWords(document)
  return [
    payment(document, tongue),
    ...reference(both("Orden de compra", "Purchase order"), document.order_reference),
    ...reference(both("Remisión", "Despatch advice"), document.despatch_reference),
    ...one(
      both("Período", "Period"),
      period === undefined || isWithoutInvoice(document) ? undefined : sentence(periodWords(period))
    ),
    ...delivery(document, tongue),
    ...one(
      "Incoterm",
      incoterm === undefined
        ? undefined
        : `${incoterm}, ${both(incotermName(incoterm), incotermName(incoterm, "name_en"))}`
    ),
    ...one(
      both("Moneda", "Currency"),
      exchange_rate === null ? undefined : sentence(currencyWords(currency)),
      exchange_rate === null ? undefined : exchangeWords(currency, exchange_rate),
      exchange_rate === null ? undefined : dateWords(exchange_rate_date ?? issue_date)
    ),
    ...spoken(both("Operación", "Operation"), operation, tongue)
  ]
}

/** The object of a note's correction, and its reason. */
export const correctionOf = (document: FiscalDocument, { both }: Tongue): Block | undefined => {
  const { correction, period } = document
  if (correction === null) return undefined
  const { invoice } = correction
  const concept = both(...conceptWords(document))
  return {
    title: invoice === null ? both("Motivo", "Reason") : both("Factura que corrige", "Corrected invoice"),
    said: [
      ...(invoice === null
        ? joined("", [`Sin factura de referencia${period === undefined ? "" : `, ${periodWords(period)}`}`], "bold")
        : [{ text: `${invoice.full_number}, ${dateWords(invoice.issue_date)}`, tone: "bold" } as const]),
      { text: `${concept}. ${correction.reason}` },
      ...(invoice === null ? [] : [{ text: `CUFE ${invoice.cufe}`, tone: "quiet" } as const])
    ]
  }
}

/** The texts next to the totals: the payment instructions and the notes of the document. */
export const remarksOf = (document: FiscalDocument, { both }: Tongue): ReadonlyArray<Block> => {
  const instructions = instructionsOf(document)
  const notes = document.notes ?? []
  return [
    ...(isShort(instructions)
      ? []
      : [{ title: both("Cómo pagar", "How to pay"), said: instructions.map((text) => ({ text })) }]),
    ...(notes.length === 0
      ? []
      : [{ title: both("Notas", "Notes"), said: notes.flatMap(linesOf).map((text) => ({ text })) }])
  ]
}
