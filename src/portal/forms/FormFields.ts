import { randomUUID } from "node:crypto"
import { attributes, type Html, html, type Part } from "../../http/pages/Html.ts"
import { firstOf, type ShownForm } from "./FormBody.ts"
import type { Refusal } from "../frame/Refusal.ts"
import { languageOfMessage } from "../frame/SpanishRefusals.ts"
import type { Visit } from "../frame/Visit.ts"

/** The hidden CSRF token. It proves that a page of the session sent the form. */
export const csrfField = ({ csrf }: Pick<Visit, "csrf">): Html =>
  html`<input type="hidden" name="csrf" value="${csrf}" />`

/**
 * A hidden idempotency key, new for each page, so that Folio runs a form only once even if the browser sends it twice.
 */
export const onceField = (): Html => html`<input type="hidden" name="once" value="portal-${randomUUID()}" />`

interface FormOptions {
  /** The path of the change: `/portal/documents/…/retry`. */
  readonly action: string
  readonly content?: Part
  /** The label of the submit button. Omitted if the content has its own buttons. */
  readonly submit?: string
  /** `first`: the main action of the page. `danger`: an irreversible change. */
  readonly kind?: "first" | "danger" | "plain"
  /** Whether the form sends a file. */
  readonly hasFile?: boolean
  readonly className?: string
}

/** A form that makes a change. It holds the token and its own idempotency key (`once`). */
export const form = (
  visit: Visit,
  { action, className, content = null, hasFile = false, kind, submit }: FormOptions
): Html => {
  const button = submit === undefined ? null : html`<button class="${kind ?? ""}">${submit}</button>`
  const inside = html`${csrfField(visit)}${onceField()}${content}${button}`
  const type = hasFile ? "multipart/form-data" : "application/x-www-form-urlencoded"
  const attributed = { enctype: type, class: className ?? "", "hx-swap": "innerHTML show:[role=alert]:top" }
  return html`<form method="post" action="${visit.to(action)}" ${attributes(attributed)}>${inside}</form>`
}

/** A button that makes a change without further input. */
export const action = (visit: Visit, options: Omit<FormOptions, "content"> & { readonly submit: string }): Html =>
  form(visit, { ...options, className: "inline" })

/** An irreversible change, behind a summary that expands to its warning. */
export const warned = (
  visit: Visit,
  summary: string,
  warning: string | null,
  change: { readonly action: string; readonly submit: string }
): Html =>
  html`<details>
    <summary>${summary}</summary>
    ${warning === null ? null : html`<p>${warning}</p>`} ${form(visit, { ...change, kind: "danger" })}
  </details>`

interface FieldOptions {
  readonly value?: string
  /** The hint below the field. */
  readonly hint?: string
  /** The error of the value. */
  readonly error?: string | undefined
  readonly type?: "text" | "email" | "number" | "date" | "datetime-local" | "url" | "password" | "search" | "file"
  readonly isRequired?: boolean
  /** The choices, instead of a text: value and label. */
  readonly choices?: ReadonlyArray<readonly [value: string, words: string]>
  /** The number of lines, if more than one. */
  readonly rows?: number
  readonly autocomplete?: string
  readonly inputMode?: "decimal" | "numeric"
  /** The accepted file types. */
  readonly accept?: string
  /** Whether to use a monospace font, as for ids, secrets and JSON. */
  readonly isCode?: boolean
}

const control = (name: string, options: FieldOptions, id: string, described: string): Html => {
  const { choices, error, isCode = false, isRequired = false, rows, type = "text", value = "" } = options
  const common = {
    id,
    name,
    required: isRequired,
    "aria-invalid": error === undefined ? undefined : "true",
    "aria-describedby": described === "" ? undefined : described,
    class: isCode ? "code" : undefined,
    spellcheck: isCode ? "false" : undefined
  }
  if (choices !== undefined) {
    const offered = choices.map(
      ([choice, words]) => html`<option ${attributes({ value: choice, selected: choice === value })}>${words}</option>`
    )
    return html`<select ${attributes(common)}>
      ${offered}
    </select>`
  }
  if (rows !== undefined) {
    // A browser drops a line break right after the tag. This extra one keeps a leading line break of the value.
    const kept = `\n${value}`
    return html`<textarea ${attributes({ ...common, rows: String(rows) })}>${kept}</textarea>`
  }
  const { accept, autocomplete = "off", inputMode } = options
  const shown = type === "file" || type === "password" ? undefined : value
  return html`<input ${attributes({ ...common, type, accept, autocomplete, inputmode: inputMode, value: shown })} />`
}

/** A form field with its label, its hint and its error. */
export const field = (name: string, label: string, options: FieldOptions = {}): Html => {
  const { error, hint } = options
  const id = `field-${name.replaceAll(/[^\w]+/g, "-")}`
  const described = [hint === undefined ? "" : `${id}-hint`, error === undefined ? "" : `${id}-error`]
    .filter((each) => each !== "")
    .join(" ")
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${control(name, options, id, described)} ${hint === undefined ? null : html`<small id="${id}-hint">${hint}</small>`}
    ${error === undefined ? null : html`<small id="${id}-error" class="bad" lang="${languageOfMessage(error)}">${error}</small>`}
  </div>`
}

/** Makes the fields of a form, each with its value and its error. */
export const inputs =
  (value: (name: string) => string, fault: (name: string) => string | undefined): typeof field =>
  (name, label, options = {}) =>
    field(name, label, { value: value(name), error: fault(name), ...options })

/** Makes the fields of a form with values and errors. */
export const inputsOf = ({ faults, values }: ShownForm) => inputs((name) => firstOf(values, name), faults.of)

/** A checkbox. */
export const checkbox = (name: string, label: string, isChecked: boolean, value = "on"): Html =>
  html`<label class="check"
    ><input ${attributes({ type: "checkbox", name, value, checked: isChecked })} /> ${label}</label
  >`

/** A group of checkboxes with one field name. */
export const boxes = (
  name: string,
  legend: string,
  choices: ReadonlyArray<readonly [value: string, words: string]>,
  { faults, values }: ShownForm
): Html => {
  const ticked = values.get(name) ?? []
  const error = faults.of(name)
  const id = `field-${name}-error`
  return html`<fieldset ${attributes({ "aria-describedby": error === undefined ? undefined : id })}>
    <legend>${legend}</legend>
    ${choices.map(([value, words]) => checkbox(name, words, ticked.includes(value), value))}
    ${error === undefined ? null : html`<small id="${id}" class="bad" lang="${languageOfMessage(error)}">${error}</small>`}
  </fieldset>`
}

/** The error above a rejected form. `named`: whether a parameter has a field, which then shows its own error. */
export const refusedForm = (
  { t }: Pick<Visit, "t">,
  refusal: Refusal | undefined,
  named: (param: string) => boolean
): Html => {
  if (refusal === undefined) return html``
  const others = refusal.errors.filter(({ param }) => !named(param))
  const list = others.map(
    ({ message, param }) =>
      html`<li><code>${param}</code> <span lang="${languageOfMessage(message)}">${message}</span></li>`
  )
  const message =
    refusal.errors.length === 0 ? html`<p lang="${languageOfMessage(refusal.message)}">${refusal.message}</p>` : null
  // The form may be far down the page. `autofocus` makes the browser scroll to the error.
  return html`<div class="rule" role="alert" tabindex="-1" autofocus>
    <b>${t("Folio changed nothing.", "Folio no cambió nada.")}</b>
    ${message}${
      list.length === 0
        ? null
        : html`<ul>
            ${list}
          </ul>`
    }
    ${refusal.errors.length > others.length ? html`<p>${t("Check the marked fields.", "Revise los campos marcados.")}</p>` : null}
  </div>`
}

/** The error of a field: the first violation whose parameter is in `params`. */
export const faultOf = (refusal: Refusal | undefined, ...params: ReadonlyArray<string>): string | undefined =>
  refusal?.errors.find(({ param }) => params.includes(param))?.message
