import { type ErrorCode, errorCodes } from "../../../../schemas/ErrorCode.ts"
import { fieldsOf, parametersOf } from "./FieldList.ts"
import { attributes, type Html, html, words } from "../Html.ts"
import { json, literal } from "./Literals.ts"
import type { Language as PageLanguage } from "../Language.ts"
import { layout, rootFrom } from "../DocsLayout.ts"
import { type Answer, type Operation, type Resource, resources, schemas } from "./Resources.ts"
import { beginnings, type Language, languages, type Sample, samplesOf } from "./Samples.ts"

const pre = (text: string) => html`<pre><code>${text}</code></pre>`

/** Samples as tabs without a script: radio buttons, each with its sample. */
const tabs = (name: string, legend: Html, samples: ReadonlyArray<Sample>): Html =>
  html`<fieldset class="tabs">
    ${legend}
    ${samples.map(({ language, text }, index) => {
      const id = `${name}-${language}`
      const checked = index === 0 ? " checked" : ""
      return html`<input type="radio" name="${name}" id="${id}" value="${language}" ${{ markup: checked }} /><label
          for="${id}"
          >${languages[language]}</label
        >
        <div class="sample">${pre(text)}</div>`
    })}
  </fieldset>`

const beginning = tabs(
  "begin",
  html`<legend>Sample setup</legend>`,
  (Object.keys(languages) as ReadonlyArray<Language>).map((language) => ({ language, text: beginnings[language] }))
)

const kinds: ReadonlyArray<readonly [kind: string, title: string]> = [
  ["path", "Path"],
  ["query", "Query"],
  ["header", "Headers"]
]

const parametersShown = ({ parameters }: Operation): ReadonlyArray<Html> =>
  kinds.flatMap(([kind, title]) => {
    const ofKind = parameters.filter((parameter) => parameter.in === kind)
    // Headers are similar for all operations, so they are collapsed.
    if (ofKind.length === 0) return []
    return kind === "header"
      ? [
          html`<details>
            <summary>${title}</summary>
            ${parametersOf(ofKind, "sent")}
          </details>`
        ]
      : [
          html`<h3>${title}</h3>
            ${parametersOf(ofKind, "sent")}`
        ]
  })

/** Shows the fields of an object only once per page. `shown`: the place of each object's fields on the page. */
const shownOnce = (what: string, { name }: Operation, shown: Map<string, string>, fields: () => Html | null) => {
  const before = shown.get(what)
  if (before !== undefined) return html`<p>Fields: see <a href="#${before}">above</a>.</p>`
  shown.set(what, `${name}-title`)
  return fields()
}

const bodyShown = (operation: Operation, shown: Map<string, string>): Html | null => {
  const { body, name } = operation
  const fields = shownOnce(`body ${body?.schema?.$ref ?? name}`, operation, shown, () => fieldsOf(body?.schema, "sent"))
  return fields === null
    ? null
    : html`<h3>Body</h3>
        ${fields}`
}

/** The example requests, one of each kind, collapsed. */
const kindsShown = ({ body, name }: Operation): Html | null => {
  const examples = Object.entries(body?.examples ?? {})
  return examples.length === 0
    ? null
    : html`<h3>Examples</h3>
        ${examples.map(
          ([kind, { description, summary, value }]) =>
            html`<details id="${name}-${kind}">
              <summary>${summary}</summary>
              <p>${words(description)}</p>
              ${pre(literal(value, json))}
            </details>`
        )}`
}

/** The object in a response, by the name of its schema. A list shows its items. */
const objectOf = ({ schema }: Answer): string | undefined => {
  const name = schema?.$ref?.split("/").at(-1) ?? ""
  return schemas[name]?.properties?.["data"]?.items?.$ref ?? schema?.$ref
}

const answerShown = (answer: Answer, operation: Operation, shown: Map<string, string>): Html => {
  const { description, schema, status } = answer
  const what = html`<p><b class="status">${status}</b> ${words(description)}</p>`
  const details = shownOnce(`answer ${objectOf(answer) ?? operation.name}`, operation, shown, () => {
    const fields = fieldsOf(schema, "answered")
    return fields === null
      ? null
      : html`<details>
          <summary>Response fields</summary>
          ${fields}
        </details>`
  })
  return html`${what} ${details}`
}

/** A link to the page of an error code. Only the first link on a page explains the code, to keep the page small. */
const errorLink = (code: ErrorCode, root: string, shown: Map<string, string>): Html => {
  const isFirst = !shown.has(`error ${code}`)
  shown.set(`error ${code}`, code)
  const help = attributes({ title: isFirst ? errorCodes[code].help : undefined })
  return html`<a href="${root}docs/errors/${code}" ${help}><code>${code}</code></a> `
}

const errorsShown = ({ errors }: Operation, root: string, shown: Map<string, string>): Html =>
  html`<details>
    <summary>Errors</summary>
    <ul class="errors">
      ${errors.map(
        ({ codes, status }) =>
          html`<li>
            <b class="status">${status}</b>
            <span>${codes.map((code) => errorLink(code, root, shown))}</span>
          </li>`
      )}
    </ul>
  </details>`

const exampleShown = ({ answers }: Operation): ReadonlyArray<Html> =>
  answers.map(({ example, mediaType, status }) => {
    if (example !== undefined) {
      return html`<h3>Response ${status}</h3>
        <div class="sample">${pre(literal(example, json))}</div>`
    }
    return html`<h3>Response ${status}</h3>
      <p class="type">${mediaType === "" ? "No body." : `A file: ${mediaType}`}</p>`
  })

const keyOf = ({ scheme }: Operation): Html =>
  scheme === "apiKey"
    ? html``
    : scheme === undefined
      ? html`<p>This operation needs no API key.</p>`
      : html`<p>This operation needs no API key. The header <code>Svc-Signature</code> signs the request instead.</p>`

const operationShown = (operation: Operation, root: string, shown: Map<string, string>): Html => {
  const { description, isAlsoPost, method, name, path, summary } = operation
  return html`<section class="operation" id="${name}" aria-labelledby="${name}-title">
    <div class="words">
      <h2 id="${name}-title"><a href="#${name}">${words(summary)}</a></h2>
      <p class="route"><b class="method">${method}</b> <code>${path}</code></p>
      <p>${words(description)}</p>
      ${isAlsoPost ? html`<p>Clients that cannot send PATCH can send POST.</p>` : null}${keyOf(operation)}
      ${parametersShown(operation)}${bodyShown(operation, shown)}${kindsShown(operation)}
      <h3>Response</h3>
      ${operation.answers.map((answer) => answerShown(answer, operation, shown))} ${errorsShown(operation, root, shown)}
    </div>
    <div class="beside">
      ${tabs(name, html`<legend class="unseen">Sample: ${summary}</legend>`, samplesOf(operation))}${exampleShown(operation)}
    </div>
  </section>`
}

/** The operations of a resource as links, to the page at `page` or inside the same page. */
const routesOf = ({ operations }: Resource, page = ""): Html =>
  html`<ul class="routes">
    ${operations.map(
      ({ method, name, path }) =>
        html`<li>
          <a href="${page}#${name}"><b class="method">${method}</b> <code>${path}</code></a>
        </li>`
    )}
  </ul>`

/** The page of a resource: its description and its operations. */
export const resourcePage = (resource: Resource, language: PageLanguage): string => {
  const { description, name, operations, slug } = resource
  const path = `/docs/reference/${slug}`
  const root = rootFrom(path)
  const shown = new Map<string, string>()
  const content = html`<div class="operation">
      <div class="words">
        <h1>${name}</h1>
        <p class="lead">${words(description)}</p>
        ${routesOf(resource)}
      </div>
      <div class="beside">${beginning}</div>
    </div>
    ${operations.map((operation) => operationShown(operation, root, shown))}`
  return layout({ path, title: name, content, language, isWide: true })
}

/** The list of all operations, by resource. */
export const referencePage = (language: PageLanguage): string => {
  const content = html`<h1>All operations</h1>
    <p class="lead">The API uses JSON. The OpenAPI document is at <a href="../v1/openapi.json">/v1/openapi.json</a>.</p>
    ${resources.map(
      (resource) =>
        html`<h2 id="${resource.slug}"><a href="reference/${resource.slug}">${resource.name}</a></h2>
          <p>${words(resource.description)}</p>
          ${routesOf(resource, `reference/${resource.slug}`)}`
    )}`
  return layout({ path: "/docs/reference", title: "All operations", content, language })
}
