import { ErrorCode } from "../../../schemas/ErrorCode.ts"
import { errorHelp } from "./ErrorPages.ts"
import { type Guide, pages } from "./Guides.ts"
import type { Language } from "./Language.ts"
import { rendered } from "./Markdown.ts"
import { resources, webhookTypes } from "./reference/Resources.ts"

/** A search result: the page, its title, the heading of a section, and the section's text. */
type Section = readonly [path: string, title: string, heading: string, text: string]

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" }

const textOf = (markup: string) =>
  markup
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? "")
    .replaceAll(/\s+/g, " ")
    .trim()

const ofGuide = (guide: Guide, language: Language): ReadonlyArray<Section> => {
  const { name, text, title } = language === "es" && guide.spanish !== undefined ? guide.spanish : guide
  // Each heading starts a section with the id of the heading.
  return rendered(text, name, "", guide.text)
    .markup.split(/(?=<h[1-4] id=")/)
    .flatMap((part) => {
      const found = /^<h(\d) id="([^"]*)">(.*?)<\/h\d>/s.exec(part)
      if (found === null) return []
      const [whole, depth, id, heading = ""] = found
      const path = depth === "1" ? guide.path : `${guide.path}#${id}`
      return [[path, title, textOf(heading), textOf(part.slice(whole.length))] as const]
    })
}

const reference: ReadonlyArray<Section> = resources.flatMap(({ description, name, operations, slug }) => {
  const path = `/docs/reference/${slug}`
  return [
    [path, name, name, description] as const,
    ...operations.map((operation): Section => {
      const fields = Object.keys(operation.body?.schema?.properties ?? {}).join(" ")
      const route = `${operation.method} ${operation.path}`
      return [`${path}#${operation.name}`, name, operation.summary, `${route} ${operation.description} ${fields}`]
    })
  ]
})

const webhooks: ReadonlyArray<Section> = webhookTypes.map(({ description, type }) => [
  `/docs/reference/webhooks#${type.replaceAll(".", "-")}`,
  "Webhook reference",
  type,
  description
])

/** The search index: every heading of the documentation with its text, in the reader's language. */
export const searchIndex = (language: Language): string =>
  JSON.stringify(
    [
      ...pages.flatMap((guide) => ofGuide(guide, language)),
      ...reference,
      ...webhooks,
      ...ErrorCode.literals.map((code): Section => [
        `/docs/errors/${code}`,
        language === "es" ? "Errores" : "Errors",
        code,
        errorHelp(code, language)
      ])
    ].map((parts) => parts.map((part) => part.replaceAll("`", "")))
  )
