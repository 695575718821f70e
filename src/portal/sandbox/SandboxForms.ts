import type { AuthorityMode } from "../../../schemas/TestHelper.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import type { SandboxSetting } from "../../accounts/store/sandbox/SandboxAuthorities.ts"
import { empty, type Form } from "../forms/SentForm.ts"
import { action, faultOf, field, form, inputs, refusedForm } from "../forms/FormFields.ts"
import { section, state } from "../frame/Parts.ts"
import type { Refusal } from "../frame/Refusal.ts"
import type { Visit } from "../frame/Visit.ts"
import { modeWords, outcomeWords, scriptWords } from "./ScriptWords.ts"

/** A rejected form of the sandbox tools: its values and the error. */
export interface Refused {
  readonly action: string
  readonly form: Form
  readonly refusal: Refusal
}

export const paths = {
  mode: "/portal/bench/authority",
  scripts: "/portal/bench/scripts",
  clear: "/portal/bench/scripts/clear",
  reset: "/portal/bench/reset",
  clock: "/portal/bench/clock"
} as const

const modes: ReadonlyArray<AuthorityMode> = ["up", "down", "slow", "flaky"]

/** The values and the error of the form at `path`, if the API rejected it. */
const ofForm = (path: string, refused: Refused | undefined) =>
  refused?.action === path ? refused : { form: empty, refusal: undefined }

const modeForm = (visit: Visit, { mode }: SandboxSetting, refused: Refused | undefined): Html => {
  const { t } = visit
  const { refusal } = ofForm(paths.mode, refused)
  const choice = field("mode", t("Mode", "Modo"), {
    choices: modes.map((one) => [one, modeWords(t, one)[0]] as const),
    value: mode,
    hint: t(
      "Down: no response. Slow: responds after 10 s. Flaky: the first two responses fail.",
      "No disponible: sin respuesta. Lenta: responde a los 10 s. Inestable: fallan las dos primeras respuestas."
    ),
    error: faultOf(refusal, "mode")
  })
  const content = [refusedForm(visit, refusal, (param) => param === "mode"), choice]
  return form(visit, { action: paths.mode, submit: t("Apply", "Aplicar"), content })
}

/** The error of a script field. The person does not know its path in the request. */
const faultOfStep = (refusal: Refusal | undefined, name: string) => {
  const found = refusal?.errors.find(({ param }) => new RegExp(`\\b${name}\\b`).test(param))
  return found?.message.replace(`${found.param} `, "").replace(/^./u, (letter) => letter.toUpperCase())
}

const stepForm = (visit: Visit, refused: Refused | undefined): Html => {
  const { t } = visit
  const { form: sent, refusal } = ofForm(paths.scripts, refused)
  const choices = [...Object.entries(outcomeWords(t)), ["", t("Default outcome", "Resultado usual")] as const]
  const input = inputs(sent.text, (name) => faultOfStep(refusal, name === "rules" ? "reject" : name))
  return form(visit, {
    action: paths.scripts,
    submit: t("Add", "Agregar"),
    content: html`${refusedForm(visit, refusal, (param) => /reject|delay/.test(param))}
      <div class="fields">
        ${field("outcome", t("Outcome", "Resultado"), {
          choices,
          value: sent.names.includes("outcome") ? sent.text("outcome") : "reject"
        })}
        ${input("rules", t("Rejection rules", "Reglas del rechazo"), {
          hint: t("For example FAD06. Separate several with commas.", "Por ejemplo FAD06. Separe varias con comas."),
          isCode: true
        })}
        ${input("delay", t("Delay (seconds)", "Demora (segundos)"), {
          hint: t("1 to 60. Empty: no delay.", "1 a 60. Vacío: sin demora."),
          inputMode: "numeric"
        })}
      </div>`
  })
}

const scriptsPart = (visit: Visit, { next }: SandboxSetting, refused: Refused | undefined): Html => {
  const { t } = visit
  const isHeld = visit.may("setup")
  const list =
    next.length === 0
      ? html`<p class="soft">
          ${t("No planned outcomes. The customer’s identification determines the outcome of a document.", "Sin resultados planeados. La identificación del cliente determina el resultado de un documento.")}
        </p>`
      : html`<ol>
            ${next.map((script) => html`<li>${scriptWords(t, script)}</li>`)}
          </ol>
          ${isHeld ? action(visit, { action: paths.clear, submit: t("Remove all", "Quitar todo") }) : null}`
  return html`<h3>${t("Next documents", "Próximos documentos")}</h3>
    ${list} ${isHeld ? html`<h3>${t("Add outcome", "Agregar resultado")}</h3>` : null}
    ${isHeld ? stepForm(visit, refused) : null}`
}

/** The mode and the scripts of the simulated authority, and their forms. */
export const authoritySection = (visit: Visit, setting: SandboxSetting, refused: Refused | undefined): Html => {
  const { t } = visit
  const isHeld = visit.may("setup")
  const [word, meaning] = modeWords(t, setting.mode)
  const isUntouched = setting.mode === "up" && setting.next.length === 0
  return section(
    "authority",
    t("Simulated authority", "DIAN simulada"),
    html`<p>${state(setting.mode === "up" ? "ok" : "wait", word)} <span class="soft">${meaning}</span></p>
      ${isHeld ? modeForm(visit, setting, refused) : null} ${scriptsPart(visit, setting, refused)}
      ${
        isHeld && !isUntouched
          ? html`<h3>${t("Reset", "Restablecer")}</h3>
              <p>
                ${t("Returns the simulated authority to “Up” and removes all planned outcomes.", "Vuelve la DIAN simulada a «Disponible» y quita todos los resultados planeados.")}
              </p>
              ${action(visit, { action: paths.reset, submit: t("Reset", "Restablecer") })}`
          : null
      }`
  )
}

const minute = 60
const hour = 60 * minute
const dayLength = 24 * hour

const jumps = (t: Visit["t"]): ReadonlyArray<readonly [value: string, words: string]> => [
  [String(minute), t("1 minute", "1 minuto")],
  [String(5 * minute), t("5 minutes", "5 minutos")],
  [String(hour), t("1 hour", "1 hora")],
  [String(6 * hour), t("6 hours", "6 horas")],
  [String(dayLength), t("1 day", "1 día")],
  [String(2 * dayLength), t("2 days", "2 días")],
  [String(30 * dayLength), t("30 days", "30 días")]
]

/** The form that advances the test clock. */
export const clockSection = (visit: Visit, refused: Refused | undefined): Html => {
  const { t } = visit
  const { refusal } = ofForm(paths.clock, refused)
  const content = [
    refusedForm(visit, refusal, (param) => param === "seconds"),
    field("seconds", t("Advance by", "Adelantar"), {
      choices: jumps(t),
      value: String(5 * minute),
      error: faultOf(refusal, "seconds")
    })
  ]
  return section(
    "clock",
    t("Clock", "Reloj"),
    html`<p>
        ${t("Scheduled retries of documents, emails and webhooks happen sooner. An outage counts as longer. Dates in documents do not change.", "Los reintentos programados de documentos, correos y webhooks ocurren antes. Una indisponibilidad cuenta como más larga. Las fechas de los documentos no cambian.")}
      </p>
      ${visit.may("setup") ? form(visit, { action: paths.clock, submit: t("Advance", "Adelantar"), content }) : null}`
  )
}
