import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import type { InvoiceStatus } from "../../../schemas/Invoice.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { hintInSpanish } from "../../invoices/authority/RuleHints.ts"
import { state, type Tone } from "./Parts.ts"
import type { Translate, Visit } from "./Visit.ts"

const tones: Readonly<Record<InvoiceStatus, Tone>> = {
  draft: "wait",
  canceled: "still",
  accepted_by_authority: "ok",
  accepted_contingency: "wait",
  rejected_by_authority: "bad",
  failed: "bad"
}

/**
 * The name of a public status on all pages, for `count` documents. Spanish names of all document kinds are feminine.
 */
export const statusWords = (t: Translate, status: InvoiceStatus, count = 1): string => {
  const s = count === 1 ? "" : "s"
  const words: Record<InvoiceStatus, string> = {
    draft: t("In progress", "En curso"),
    canceled: t("Canceled", `Cancelada${s}`),
    accepted_by_authority: t("Accepted", `Aceptada${s}`),
    accepted_contingency: t("In contingency", "En contingencia"),
    rejected_by_authority: t("Rejected", `Rechazada${s}`),
    failed: t("Failed", `Fallida${s}`)
  }
  return words[status]
}

/** A document's public status: its mark and its name. */
export const statusMark = (t: Translate, status: InvoiceStatus): Html => state(tones[status], statusWords(t, status))

export const kindWords = (t: Translate, kind: DocumentKind): string => {
  const words: Record<DocumentKind, string> = {
    invoice: t("Invoice", "Factura"),
    credit_note: t("Credit note", "Nota crédito"),
    debit_note: t("Debit note", "Nota débito")
  }
  return words[kind]
}

/** The hint for a rule that a document breaks. A hint without a Spanish text stays in English, with `lang="en"`. */
export const hintWords = ({ language }: Pick<Visit, "language">, hint: string): Html => {
  const spanish = language === "es" ? hintInSpanish(hint) : undefined
  return spanish === undefined ? html`<span lang="en">${hint}</span>` : html`${spanish}`
}
