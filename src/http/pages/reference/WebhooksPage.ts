import { parametersOf } from "./FieldList.ts"
import { type Html, html, words } from "../Html.ts"
import type { Language } from "../Language.ts"
import { layout, rootFrom } from "../DocsLayout.ts"
import { json, literal } from "./Literals.ts"
import { webhookHeaders, type WebhookType, webhookTypes } from "./Resources.ts"

const path = "/docs/reference/webhooks"

const idOf = (type: string) => type.replaceAll(".", "-")

const typeShown = ({ description, example, type }: WebhookType): Html =>
  html`<section id="${idOf(type)}" aria-labelledby="${idOf(type)}-title">
    <h2 id="${idOf(type)}-title">
      <a href="#${idOf(type)}"><code>${type}</code></a>
    </h2>
    <p>${words(description)}</p>
    <details>
      <summary>Body example</summary>
      <div class="sample">
        <pre><code>${literal(example, json)}</code></pre>
      </div>
    </details>
  </section>`

/** The webhook page: the headers of every delivery, and each event type with an example. */
export const webhooksPage = (language: Language): string => {
  const root = rootFrom(path)
  const types = webhookTypes.map(
    ({ type }) =>
      html`<li>
        <a href="#${idOf(type)}"><code>${type}</code></a>
      </li>`
  )
  const content = html`<h1>Webhook reference</h1>
    <p class="lead">
      An event describes a change of a document. Folio posts it as JSON to every endpoint with a subscription to its
      type.
    </p>
    <p>
      To verify, respond to and recover webhooks, see <a href="${root}docs/guides/webhooks">Receive webhooks</a>. To
      register an endpoint, see <a href="${root}docs/reference/webhook-endpoints">Webhook endpoints</a>.
    </p>
    <ul class="routes">
      ${types}
    </ul>
    <h2 id="headers">Delivery headers</h2>
    ${parametersOf(webhookHeaders, "answered")} ${webhookTypes.map(typeShown)}`
  return layout({ path, title: "Webhook reference", content, language })
}
