import { ErrorCode, errorCodes } from "../../../schemas/ErrorCode.ts"
import { errorExample } from "../../api/ErrorApi.ts"
import spanish from "./errorPages.es.json" with { type: "json" }
import { html, words } from "./Html.ts"
import type { Language, Words } from "./Language.ts"
import { layout } from "./DocsLayout.ts"
import { json, literal } from "./reference/Literals.ts"

const labels = {
  all: { en: "All errors", es: "Todos los errores" },
  errors: { en: "Errors", es: "Errores" },
  example: { en: "Example", es: "Ejemplo" },
  lead: {
    en: "Each error has a stable code, names the next step, and links to its page.",
    es: "Cada error tiene un código estable, indica qué hacer y enlaza a su página."
  },
  retry: { en: "Retry?", es: "¿Reintentar?" },
  status: { en: "Status code", es: "Código de estado" },
  type: { en: "Type", es: "Tipo" }
} satisfies Readonly<Record<string, Words>>

const retries = (code: ErrorCode): Words => {
  if (errorCodes[code].status >= 500 || code === "request_timeout")
    return { en: "Yes, with the same Idempotency-Key.", es: "Sí, con el mismo `Idempotency-Key`." }
  return code === "rate_limited"
    ? { en: "Yes, after the seconds in `Retry-After`.", es: "Sí, después de los segundos de `Retry-After`." }
    : {
        en: "Only after the cause is fixed. Until then, the request fails again.",
        es: "Solo después de resolver la causa. Hasta entonces, la solicitud falla de nuevo."
      }
}

const explained = (code: ErrorCode, language: Language): { readonly help: string; readonly request: string } => {
  const { example, help } = errorCodes[code]
  return language === "es" ? spanish[code] : { help, request: example.request }
}

export const errorPage = (code: ErrorCode, baseUrl: string, language: Language): string => {
  const { status, type } = errorCodes[code]
  const { help, request } = explained(code, language)
  const content = html`<h1><code>${code}</code></h1>
    <p class="lead">${words(help)}</p>
    <dl class="facts">
      <dt>${labels.status[language]}</dt>
      <dd>${status}</dd>
      <dt>${labels.type[language]}</dt>
      <dd><code>${type}</code></dd>
      <dt>${labels.retry[language]}</dt>
      <dd>${words(retries(code)[language])}</dd>
    </dl>
    <h2>${labels.example[language]}</h2>
    <p>${words(request)}:</p>
    <div class="sample" lang="en">
      <pre><code>${literal(errorExample(code, baseUrl), json)}</code></pre>
    </div>
    <p><a href="../errors">${labels.all[language]}</a></p>`
  return layout({ path: `/docs/errors/${code}`, title: code, content, language })
}

export const errorIndex = (language: Language): string => {
  const statuses = [...new Set(ErrorCode.literals.map((code) => errorCodes[code].status))].toSorted((a, b) => a - b)
  const content = html`<h1>${labels.errors[language]}</h1>
    <p class="lead">${labels.lead[language]}</p>
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
                    <dd>${words(explained(code, language).help)}</dd>`
              )}
          </dl>`
    )}`
  const title = labels.errors[language]
  return layout({ path: "/docs/errors", title, content, language })
}
