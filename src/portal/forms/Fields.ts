import { randomUUID } from "node:crypto"
import { attributes, type Html, html, type Part } from "../../http/pages/Html.ts"
import { firstOf, type ShownForm } from "./FormBody.ts"
import type { Refusal } from "../frame/Refusal.ts"
import { languageOfMessage } from "../frame/SpanishRefusals.ts"
import type { Visit } from "../frame/Visit.ts"

/** The hidden token by which a form is known as one of the session's own pages. */
export const csrfField = ({ csrf }: Pick<Visit, "csrf">): Html =>
  html`<input type="hidden" name="csrf" value="${csrf}" />`

/** A hidden idempotency key, made when the page is written, so that a form which is sent twice is carried out once. */
export const onceField = (): Html => html`<input type="hidden" name="once" value="portal-${randomUUID()}" />`

interface FormOptions {
  /** The path of the change: `/portal/documents/…/retry`. */
  readonly action: string
  readonly content?: Part
  /** The words of the button that sends the form; left out when the content has buttons of its own. */
  readonly submit?: string
  /** `first`: the action that the page is about. `danger`: a change that cannot be undone. */
  readonly kind?: "first" | "danger" | "plain"
  /** Whether the form sends a file. */
  readonly hasFile?: boolean
  readonly className?: string
}

/** A form that changes something. It carries the token and a key of its own (`once`). */
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

/** A button that changes something without asking for more. */
export const action = (visit: Visit, options: Omit<FormOptions, "content"> & { readonly submit: string }): Html =>
  form(visit, { ...options, className: "inline" })

/** A change that cannot be undone, behind a line that opens to what it does. */
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
  /** One line below the field that says what to type. */
  readonly hint?: string
  /** What is wrong with the value. */
  readonly error?: string | undefined
  readonly type?: "text" | "email" | "number" | "date" | "datetime-local" | "url" | "password" | "search" | "file"
  readonly isRequired?: boolean
  /** The choices, in place of a text: value and words. */
  readonly choices?: ReadonlyArray<readonly [value: string, words: string]>
  /** The number of lines, in place of a single one. */
  readonly rows?: number
  readonly autocomplete?: string
  readonly inputMode?: "decimal" | "numeric"
  /** The kinds of files to choose from. */
  readonly accept?: string
  /** Whether the letters all have the same width, as for ids, secrets and JSON. */
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
    // A browser drops a line break right after the tag, so that a value which begins with one keeps it.
    const kept = `\n${value}`
    return html`<textarea ${attributes({ ...common, rows: String(rows) })}>${kept}</textarea>`
  }
  const { accept, autocomplete = "off", inputMode } = options
  const shown = type === "file" || type === "password" ? undefined : value
  return html`<input ${attributes({ ...common, type, accept, autocomplete, inputmode: inputMode, value: shown })} />`
}

/** A field of a form with its label, its hint and what is wrong with its value. */
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

/** Makes the fields of a form: each shows the value of its name, and what is wrong with it. */
export const inputs =
  (value: (name: string) => string, fault: (name: string) => string | undefined): typeof field =>
  (name, label, options = {}) =>
    field(name, label, { value: value(name), error: fault(name), ...options })

/** Makes the fields of a form that is shown with its values and faults. */
export const inputsOf = ({ faults, values }: ShownForm) => inputs((name) => firstOf(values, name), faults.of)

/** A box to tick. */
export const checkbox = (name: string, label: string, isChecked: boolean, value = "on"): Html =>
  html`<label class="check"
    ><input ${attributes({ type: "checkbox", name, value, checked: isChecked })} /> ${label}</label
  >`

/** What is said above a form that was refused. `named`: the parameters that have a field, beside which their faults are shown. */
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
  // The form may stand far down its page: the browser goes to where it says what is wrong.
  return html`<div class="rule" role="alert" tabindex="-1" autofocus>
    <b>${t("Nothing was changed.", "No se cambió nada.")}</b>
    ${message}${
      list.length === 0
        ? null
        : html`<ul>
            ${list}
          </ul>`
    }
    ${refusal.errors.length > others.length ? html`<p>${t("See the fields that are marked.", "Vea los campos marcados.")}</p>` : null}
  </div>`
}

/** The fault of a field: of the first parameter among `params` that the refusal names. */
export const faultOf = (refusal: Refusal | undefined, ...params: ReadonlyArray<string>): string | undefined =>
  refusal?.errors.find(({ param }) => params.includes(param))?.message
