import { ErrorCode, errorCodes } from "../../../schemas/ErrorCode.ts"
import { errorExample } from "../../api/Errors.ts"
import { html, words } from "./Html.ts"
import { layout } from "./Layout.ts"
import { json, literal } from "./reference/Literals.ts"

const retries = (code: ErrorCode) => {
  if (errorCodes[code].status >= 500 || code === "request_timeout") return "Yes, with the same Idempotency-Key."
  return code === "rate_limited" ? "Yes, after the seconds in `Retry-After`." : "Not as it is: it would fail again."
}

export const errorPage = (code: ErrorCode, baseUrl: string): string => {
  const { example, help, status, type } = errorCodes[code]
  const content = html`<h1><code>${code}</code></h1>
    <p class="lead">${words(help)}</p>
    <dl class="facts">
      <dt>HTTP status</dt>
      <dd>${status}</dd>
      <dt>Type</dt>
      <dd><code>${type}</code></dd>
      <dt>Retry?</dt>
      <dd>${words(retries(code))}</dd>
    </dl>
    <h2>Example</h2>
    <p>${words(example.request)}:</p>
    <div class="sample">
      <pre><code>${literal(errorExample(code, baseUrl), json)}</code></pre>
    </div>
    <p><a href="../errors">All errors</a></p>`
  return layout({ path: `/docs/errors/${code}`, title: code, content })
}

export const errorIndex = (): string => {
  const statuses = [...new Set(ErrorCode.literals.map((code) => errorCodes[code].status))].toSorted((a, b) => a - b)
  const content = html`<h1>Errors</h1>
    <p class="lead">Every error has a code that stays, says what to do, and links to its page here.</p>
    ${statuses.map(
      (status) =>
        html`<h2 id="status-${status}">${status}</h2>
          <dl class="codes">
            ${ErrorCode.literals
              .filter((code) => errorCodes[code].status === status)
              .map(
                (code) =>
                  html`<dt>
                      <a href="errors/${code}"><code>${code}</code></a>
                    </dt>
                    <dd>${words(errorCodes[code].help)}</dd>`
              )}
          </dl>`
    )}`
  return layout({ path: "/docs/errors", title: "Errors", content })
}
