import { HttpServerRequest } from "effect/http"
import { Effect } from "effect"
import { languageOf } from "../request/Accept.ts"

/** The languages of the pages. */
export type Language = "en" | "es"

/** A text in each language. */
export type Words = Readonly<Record<Language, string>>

/** The query parameter that switches the language. */
export const parameter = "lang"

const cookieName = "folio_docs_language"
const yearSeconds = 31_536_000

const isLanguage = (value: string | undefined | null): value is Language => value === "en" || value === "es"

/**
 * The language of the reader: from `?lang=` in the address, else from the reader's earlier choice, else from the
 * browser. `cookie` stores a new choice for the other pages.
 */
export const ofReader = Effect.map(HttpServerRequest.HttpServerRequest, ({ cookies, headers, url }) => {
  const asked = new URLSearchParams(url.split("?")[1]).get(parameter)
  if (isLanguage(asked)) {
    const cookie = `${cookieName}=${asked}; Path=/; Max-Age=${yearSeconds}; SameSite=Lax; HttpOnly`
    return { language: asked, cookie }
  }
  const chosen = cookies[cookieName]
  return { language: isLanguage(chosen) ? chosen : languageOf(headers["accept-language"]), cookie: undefined }
})
