import { catalogNames } from "../../../schemas/Catalog.ts"
import { type Privacy, privacyOf } from "./FieldPrivacy.ts"

/**
 * The account's setting for the request log: keep everything but secrets and personal data, or everything but secrets.
 */
export type MaskLevel = "masked" | "full"

/** The text that replaces personal data, a secret, or an unknown name. */
export const masked = "[masked]"
export const secret = "[secret]"
export const unknown = "[unknown]"

// The third form is the beginning of a key in base64, as in Basic.
export const secretForm = /(?:sk_(?:test|live)_|whsec_|c2tf(?:dGVzdF|bGl2ZV)|-----BEGIN|Bearer )/i
// Ids, codes, dates, amounts, versions and lists of these: no spaces and no @, unlike names and addresses.
const closedForm = /^[\w.:+\-/[\]]{0,128}$/
export const idForm = /^[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}(?:_\d{1,9})?$/
// In characters. A longer text is a file, or too long to read.
const textMax = 4 * 1024

const hiddenMax = 200
// A shorter text must be a separate word in a message, because it is a part of too many other words.
const lengthMin = 3

/**
 * The omitted parts of a request. The message of its error is kept only if it quotes none of them. `isAll`: no message
 * is kept, because too much was omitted to search for, or the request was not read.
 */
export interface Hidden {
  readonly texts: Set<string>
  isAll: boolean
}

export const makeHidden = (isAll = false): Hidden => ({ texts: new Set(), isAll })

/** A word of the API or of JSON, which reveals nothing. */
const isWord = (text: string) => privacyOf(text) !== undefined || /^(?:null|true|false)$/.test(text)

/** Records an omitted text. */
export const hide = (hidden: Hidden, text: string) => {
  if (hidden.isAll || text === "" || isWord(text)) return
  if (hidden.texts.size >= hiddenMax) hidden.isAll = true
  // A message truncates a long name to 64 characters and a long value to 32 or more, so a search for more than 32 would
  // find nothing.
  else hidden.texts.add(text.slice(0, 32))
}

/** The text itself, or `[secret]` if a part of it has the form of a secret. */
export const withoutSecrets = (text: string): string => (secretForm.test(text) ? secret : text)

/** The message of an error without its quotes; masked as a whole if it may hold an omitted part of the request. */
const maskMessage = (message: string, level: MaskLevel, { isAll, texts }: Hidden): string => {
  if (isAll) return masked
  const words = new Set(message.split(/[^\p{L}\p{N}]+/u))
  for (const text of texts) if (text.length < lengthMin ? words.has(text) : message.includes(text)) return masked
  if (level === "full") return message
  const unquoted = message.replaceAll(/"(?:[^"\\]|\\.)*"/g, '"…"')
  return unquoted.replaceAll('"…"', "").includes('"') || unquoted.includes("@") ? masked : unquoted
}

const headerNames: ReadonlySet<string> = new Set(["body", "query", "Svc-Version", "Idempotency-Key"])

/** The path to a field if the API has the name of each of its steps; otherwise the path is masked. */
const maskParam = (param: string): string => {
  if (headerNames.has(param) || privacyOf(param) !== undefined) return param
  const steps = param.replaceAll(/\[\d+\]/g, "").split(".")
  return steps.every((step) => privacyOf(step) !== undefined) ? param : masked
}

const maskUrl = (text: string): string => {
  if (text.startsWith("/")) return text.startsWith("/v1/") && closedForm.test(text) ? text : masked
  return URL.canParse(text) ? `${new URL(text).origin}/…` : masked
}

/** The kept form of a field's text: the text, a part of it, or a mark. */
export const maskText = (text: string, privacy: Privacy | undefined, level: MaskLevel, hidden: Hidden): string => {
  if (privacy === undefined || privacy === "holder") return masked
  if (privacy === "secret" || secretForm.test(text)) return secret
  if (text.length > textMax) return masked
  if (privacy === "url") return maskUrl(text)
  if (privacy === "param") return maskParam(text)
  if (privacy === "message") return maskMessage(text, level, hidden)
  if (level === "full") return text
  if (privacy === "id") return idForm.test(text) ? text : masked
  return privacy === "open" && closedForm.test(text) ? text : masked
}

const isCatalog = (step: string) => catalogNames.some((name) => name === step)

/**
 * A path with only the parts that the route allows: for `:id` an id or the name of a catalog, elsewhere the route's own
 * step.
 */
export const maskPath = (path: string, route: string): string => {
  const pattern = route.split("/")
  return path
    .split("/")
    .map((step, index) => {
      const part = pattern[index] ?? ""
      if (!part.startsWith(":")) return part === step ? step : masked
      return idForm.test(step) || isCatalog(step) ? step : masked
    })
    .join("/")
    .slice(0, 512)
}

/** A query whose names and values are masked by the rules for fields; null if there is none. */
export const maskQuery = (query: string, level: MaskLevel, hidden: Hidden): string | null => {
  if (query === "") return null
  const kept = new Set<string>()
  for (const [name, value] of new URLSearchParams(query)) {
    const privacy = privacyOf(name)
    const shown = maskText(value, privacy, level, hidden)
    if (shown !== value) hide(hidden, value)
    if (privacy === undefined) hide(hidden, name)
    kept.add(privacy === undefined ? `${unknown}=${masked}` : `${name}=${level === "full" ? encodeURI(shown) : shown}`)
  }
  return [...kept].join("&").slice(0, 1024)
}

/** The ids in a path. */
export const idsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((step) => idForm.test(step))
