import { Effect } from "effect"
import { ErrorCode } from "../../../schemas/ErrorCode.ts"
import { errorIndex, errorPage } from "./ErrorPages.ts"
import { pages } from "./Guides.ts"
import { sectionsOf } from "./Headings.ts"
import { guidePage } from "./Landing.ts"
import type { Language } from "./Language.ts"
import { referencePage, resourcePage } from "./reference/ResourcePage.ts"
import { resources } from "./reference/Resources.ts"
import { webhooksPage } from "./reference/WebhooksPage.ts"

/** A search result: the page, its title, the heading of a section, the section's text, and the language of the page. */
type Result = readonly [path: string, title: string, heading: string, text: string, language: string]

/** Samples repeat the fields of the reference, and would be most of the index. */
const withoutSamples = (markup: string) => markup.replaceAll(/<fieldset.*?<\/fieldset>/gs, "")

const resultsOf = (path: string, page: string): ReadonlyArray<Result> => {
  const [, language = "", main = ""] = /<main [^>]*lang="(\w+)"[^>]*>(.*)<\/main>/s.exec(page) ?? []
  const sections = sectionsOf(withoutSamples(main))
  const title = sections[0]?.heading ?? ""
  return sections.map(({ anchor, heading, text }) => [
    anchor === undefined ? path : `${path}#${anchor}`,
    title,
    heading,
    text,
    language
  ])
}

type Page = readonly [path: string, write: () => string]

const allPages = (baseUrl: string, language: Language): ReadonlyArray<Page> => [
  ...pages.map((guide): Page => [guide.path, () => guidePage(guide, language)]),
  ["/docs/reference", () => referencePage(language)],
  ...resources.map((resource): Page => [`/docs/reference/${resource.slug}`, () => resourcePage(resource, language)]),
  ["/docs/reference/webhooks", () => webhooksPage(language)],
  ["/docs/errors", () => errorIndex(language)],
  ...ErrorCode.literals.map((code): Page => [`/docs/errors/${code}`, () => errorPage(code, baseUrl, language)])
]

/**
 * The search index: every heading of every page with its text, in the reader's language. Writes one page in each turn
 * of the event loop, because all pages together take 0.4 s.
 */
export const searchIndex = (baseUrl: string, language: Language): Effect.Effect<string> =>
  Effect.map(
    Effect.forEach(allPages(baseUrl, language), ([path, write]) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => resultsOf(path, write()))
      )
    ),
    (results) => JSON.stringify(results.flat())
  )
