import { type EventType, eventTypes } from "../../../schemas/Event.ts"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { type Html } from "../../http/pages/Html.ts"
import { kindWords } from "../frame/DocumentWords.ts"
import { state, type Tone } from "../frame/Parts.ts"
import type { Translate } from "../frame/Visit.ts"

const kinds: ReadonlyArray<DocumentKind> = ["invoice", "credit_note", "debit_note"]

/**
 * The parts of an event type: "credit_note.email.bounced" has the kind "credit_note" and the outcome "email.bounced".
 */
const partsOf = (type: string) => {
  const [kind = "", ...outcome] = type.split(".")
  return { kind: kinds.find((each) => each === kind), outcome: outcome.join(".") }
}

const tones: Readonly<Record<string, Tone>> = {
  accepted_by_authority: "ok",
  rejected_by_authority: "bad",
  accepted_contingency: "wait",
  failed: "bad",
  "email.delivered": "ok",
  "email.bounced": "bad",
  "email.complained": "bad"
}

/**
 * The outcome of an event type, without the document kind: "accepted". Spanish names of all document kinds are
 * feminine.
 */
export const outcomeWords = (t: Translate, type: string): string => {
  const { outcome } = partsOf(type)
  const words: Record<string, string> = {
    accepted_by_authority: t("accepted", "aceptada"),
    rejected_by_authority: t("rejected", "rechazada"),
    accepted_contingency: t("in contingency", "en contingencia"),
    failed: t("failed", "fallida"),
    "email.delivered": t("email delivered", "correo entregado"),
    "email.bounced": t("email bounced", "correo devuelto"),
    "email.complained": t("email marked as spam", "correo marcado como spam")
  }
  return words[outcome] ?? type
}

/** An event type in words: "Invoice rejected", "Factura: correo devuelto". */
export const eventWords = (t: Translate, type: string): string => {
  const { kind, outcome } = partsOf(type)
  if (kind === undefined) return type
  const separator = outcome.startsWith("email.") ? t(" ", ": ") : " "
  return `${kindWords(t, kind)}${separator}${outcomeWords(t, type)}`
}

/** An event type in words, with the mark of its outcome. */
export const eventMark = (t: Translate, type: string): Html =>
  state(tones[partsOf(type).outcome] ?? "still", eventWords(t, type))

/** The event types by document kind, for choices. */
export const typesByKind: ReadonlyArray<readonly [kind: DocumentKind, types: ReadonlyArray<EventType>]> = kinds.map(
  (kind) => [kind, eventTypes.filter((type) => partsOf(type).kind === kind)]
)
