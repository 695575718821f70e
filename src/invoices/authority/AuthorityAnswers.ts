import { Effect } from "effect"
import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import type { AuthorityError } from "../../../schemas/FiscalDocument.ts"
import { processedBefore } from "../../documents/rules/AuthorityRules.ts"
import {
  type AuthorityAcquirer,
  type AuthorityRange,
  AuthorityRefusal,
  AuthorityUnavailable,
  type DocumentName,
  type Verdict
} from "./Authority.ts"
import { hintOf } from "./RuleHints.ts"
import { childOf, fieldsOf, type SoapFields, textField, type XmlElement } from "./soap/SoapAnswers.ts"

/**
 * The authority's response about a document.
 *
 * - `verdict`: the final verdict
 * - `known`: the authority has processed a document with this number or code before, which is no verdict
 * - `missing`: the document never arrived
 * - `refused`: the issuer may not send the document, or not in this way
 * - `received`: the authority has the document and has given no verdict yet
 * - `unclear`: any other response; the authority may give a verdict later
 */
export type DocumentAnswer =
  | { readonly _tag: "verdict"; readonly verdict: Verdict; readonly key: string }
  | { readonly _tag: "known"; readonly answer: SoapFields }
  | { readonly _tag: "missing" }
  | { readonly _tag: "refused"; readonly message: string }
  | { readonly _tag: "received" | "unclear"; readonly message: string }

/** The error for a number that the authority has processed before, as the rule that the document breaks. */
export const numberProcessed = (): AuthorityError => ({
  rule: processedBefore,
  severity: "rejection",
  message: "Documento procesado anteriormente.",
  path: null,
  hint: hintOf(processedBefore)
})

const lineForm = /^Regla:\s*([A-Z0-9]+[a-z]?),\s*(Rechazo|Notificaci[oó]n):\s*([^]*)$/i

/** Parses a line of ErrorMessage. Keeps a line of another form whole, with the response's status code as its rule. */
const errorOf = (line: string, status: string): AuthorityError => {
  const [, rule = status, kind = status === "00" ? "Notificación" : "Rechazo", message = line.trim()] =
    lineForm.exec(line.trim()) ?? []
  const severity = kind.toLowerCase().startsWith("n") ? "notification" : "rejection"
  return { rule, severity, message: message.trim(), path: null, hint: hintOf(rule) }
}

/** Classifies a DianResponse by its status code, `IsValid` and error lines. */
export const documentAnswerOf = (result: XmlElement): DocumentAnswer => {
  const fields = fieldsOf(result)
  const status = textField(fields, "StatusCode")
  const lines = Array.isArray(fields["ErrorMessage"]) ? (fields["ErrorMessage"] as ReadonlyArray<string>) : []
  const all = lines.filter((line) => line.trim() !== "").map((line) => errorOf(line, status))
  const isValid = textField(fields, "IsValid") === "true"
  const errors = all.filter(({ severity }) => severity === "rejection")
  const notifications = all.filter(({ severity }) => severity === "notification")
  const texts = [textField(fields, "StatusDescription"), textField(fields, "StatusMessage"), ...lines]
  const said = texts.filter((text) => text !== "")
  const withVerdict = (accepted: boolean): DocumentAnswer => ({
    _tag: "verdict",
    verdict: { accepted, errors, notifications, answer: fields },
    key: textField(fields, "XmlDocumentKey").toLowerCase()
  })
  switch (status) {
    case "00":
      // Notifications leave an acceptance valid. A rejection or a false `IsValid` contradicts status 00.
      if (isValid && errors.length === 0) return withVerdict(true)
      break
    case "99":
      if (errors.some(({ rule }) => rule === processedBefore)) return { _tag: "known", answer: fields }
      if (!isValid && errors.length > 0) return withVerdict(false)
      break
    case "66":
      return { _tag: "missing" }
    case "89":
      return { _tag: "refused", message: said.join(" ").slice(0, 500) || "The authority rejected the document." }
    case "90":
      return { _tag: "known", answer: fields }
  }
  const what = `status ${JSON.stringify(status)}${said.length === 0 ? "" : `: ${said.join(" ").slice(0, 300)}`}`
  return { _tag: status === "98" ? "received" : "unclear", message: `The authority returned no outcome (${what}).` }
}

/** The failure for a response without a verdict on this document. It does not count as an outage of the authority. */
export const unavailable = (trouble: AuthorityTrouble, message: string) =>
  Effect.fail(new AuthorityUnavailable({ message, trouble, of_document: true }))

export const anotherDocument = unavailable("another_document", "The authority's response is about another document.")

/** The verdict in a response about a known document, or the failure that the response means. */
export const verdictOf = (
  answer: Exclude<DocumentAnswer, { readonly _tag: "missing" }>,
  { cufe }: Pick<DocumentName, "cufe">
): Effect.Effect<Verdict, AuthorityUnavailable | AuthorityRefusal> => {
  switch (answer._tag) {
    case "verdict":
      return answer.key === "" || answer.key === cufe ? Effect.succeed(answer.verdict) : anotherDocument
    case "known":
      return Effect.fail(
        new AuthorityUnavailable({
          message: "The authority has processed a document with this number before. Folio looks up this document.",
          trouble: "another_document",
          of_document: true,
          number_processed: numberProcessed()
        })
      )
    case "refused":
      return Effect.fail(new AuthorityRefusal({ message: answer.message, trouble: "sender_refused" }))
    case "received":
      return unavailable("in_process", answer.message)
    case "unclear":
      return unavailable("no_verdict", answer.message)
  }
}

/** The document XML in an EventResponse; null if the response carries no document. */
export const storedXmlOf = (result: XmlElement): string | null => {
  const fields = fieldsOf(result)
  const bytes = textField(fields, "XmlBytesBase64")
  return textField(fields, "Code") === "100" && bytes !== "" ? Buffer.from(bytes, "base64").toString() : null
}

/**
 * The acquirer of an AdquirienteResponse. Null without name and address, because such a response is about an unknown
 * acquirer.
 */
export const acquirerOf = (result: XmlElement): AuthorityAcquirer | null => {
  const fields = fieldsOf(result)
  const [name, email] = [textField(fields, "ReceiverName"), textField(fields, "ReceiverEmail")]
  return name === "" && email === "" ? null : { name: name || null, email: email || null }
}

/** The ranges of a NumberRangeResponseList; the authority's message as text if the operation code is not 100. */
export const rangesOf = (result: XmlElement): ReadonlyArray<AuthorityRange> | string => {
  const fields = fieldsOf(result)
  if (textField(fields, "OperationCode") !== "100") {
    return textField(fields, "OperationDescription") || `code ${JSON.stringify(textField(fields, "OperationCode"))}`
  }
  return (childOf(result, "ResponseList")?.children ?? []).map((range) => {
    const texts = fieldsOf(range)
    const dateOf = (name: string) => textField(texts, name).slice(0, 10)
    return {
      number: textField(texts, "ResolutionNumber"),
      prefix: textField(texts, "Prefix"),
      from_number: textField(texts, "FromNumber"),
      to_number: textField(texts, "ToNumber"),
      valid_from: dateOf("ValidDateFrom"),
      valid_to: dateOf("ValidDateTo"),
      technical_key: textField(texts, "TechnicalKey").toLowerCase()
    }
  })
}
