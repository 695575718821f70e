import { pages } from "./Guides.ts"

/** Former addresses of pages, with their present addresses. When you rename a page, add a line. */
const moved: Readonly<Record<string, string>> = {
  "/docs/start": "/docs"
}

/** Former and present addresses. If a page of src/docs has moved, includes its text files. */
export const redirects: ReadonlyArray<readonly [from: string, to: string]> = Object.entries(moved).flatMap(
  ([from, to]) => {
    const page = pages.find(({ path }) => path === to)
    const name = from.slice("/docs/".length)
    if (page === undefined || page.name === name) return [[from, to]]
    const spanish =
      page.spanish === undefined ? [] : [[`/docs/es/${name}.md`, `/docs/${page.spanish.name}.md`] as const]
    return [[from, to], [`${from}.md`, `/docs/${page.name}.md`], ...spanish]
  }
)
