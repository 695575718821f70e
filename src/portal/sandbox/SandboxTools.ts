import { Clock, Effect, Layer } from "effect"
import type { AuthorityModeRequest, AuthorityScript } from "../../../schemas/TestHelper.ts"
import { html } from "../../http/pages/Html.ts"
import { SandboxAuthorities, type SandboxSetting } from "../../accounts/store/sandbox/SandboxAuthorities.ts"
import { WebhookEndpoints } from "../../webhooks/store/WebhookEndpoints.ts"
import type { Form } from "../forms/SentForm.ts"
import { type Page, titled } from "../frame/PortalLayout.ts"
import { notice } from "../frame/Parts.ts"
import { orNull, type Refusal } from "../frame/Refusal.ts"
import { change, page } from "../frame/PortalRoutes.ts"
import { makeTurns } from "../frame/PortalTurns.ts"
import type { Visit } from "../frame/Visit.ts"
import { headersOf } from "./HeaderLines.ts"
import { authoritySection, clockSection, paths, type Refused } from "./SandboxForms.ts"
import { check, eventIdOf } from "./SignatureCheck.ts"
import { type Sent, signaturePath, signatureSection } from "./SignatureForm.ts"

interface Shown {
  readonly sent?: Sent
  readonly refused?: Refused
}

const title = ({ t }: Visit) => t("Sandbox tools", "Herramientas de pruebas")

const livePage = (visit: Visit, status: number): Page => {
  const { t, to } = visit
  const sub = t("Only in test mode", "Solo en modo de pruebas")
  const live = titled(
    null,
    { title: title(visit), sub },
    html`<p>
        ${t("This session is in live mode. To use the sandbox tools, open the portal with a test key.", "Esta sesión es de producción. Para usar las herramientas de pruebas, abra el portal con una clave de pruebas.")}
      </p>
      <p><a href="${to("/portal")}">${t("Home", "Inicio")}</a></p>`
  )
  return { ...live, status }
}

const notices = ({ t }: Visit) => ({
  authority: t("Simulated authority changed.", "DIAN simulada actualizada."),
  planned: t("Outcome planned for one more document.", "Resultado planeado para un documento más."),
  cleared: t("Planned outcomes removed.", "Resultados planeados quitados."),
  reset: t("Simulated authority reset.", "DIAN simulada restablecida."),
  clock: t("Test clock advanced.", "Reloj de pruebas adelantado.")
})

const toolsPage = (visit: Visit, setting: SandboxSetting, body: string, { refused, sent }: Shown): Page => {
  const { may, t } = visit
  const sub = t(
    "Check why a webhook fails verification, and control the simulated authority.",
    "Revise por qué un webhook no pasa la verificación, y controle la DIAN simulada."
  )
  const only = html`<p class="soft">
    ${t("This session can only view. To change the simulated authority and the clock, the session needs the capability “setup”.", "Esta sesión solo puede ver. Para cambiar la DIAN simulada y el reloj, la sesión necesita el permiso «ajustes».")}
  </p>`
  const bench = titled(
    "bench",
    { title: title(visit), sub, above: notice(visit, notices(visit)) },
    may("setup") ? null : only,
    html`<div class="grid">
      <div>${signatureSection(visit, sent, body)}${clockSection(visit, refused)}</div>
      <div>${authoritySection(visit, setting, refused)}</div>
    </div>`
  )
  const isRight = refused === undefined && (sent === undefined || sent.found !== undefined)
  return { ...bench, status: isRight ? 200 : 422 }
}

/** The delivered bytes of an event of the account. Null if the event does not exist. */
const eventBody = (visit: Visit, id: string | null) =>
  id === null || !/^evt_\w{1,40}$/.test(id)
    ? Effect.succeed(null)
    : orNull(
        Effect.map(visit.file(`/v1/events/${id}`), ({ body }) => new TextDecoder().decode(body)),
        404
      )

const shown = Effect.fnUntraced(function* (visit: Visit, what: Shown = {}) {
  const { principal } = visit.session
  if (principal.livemode) return livePage(visit, 200)
  const setting = yield* visit.read((yield* SandboxAuthorities).setting)
  const body = (yield* eventBody(visit, visit.query.get("event"))) ?? ""
  return toolsPage(visit, setting, body, what)
})

/** The most characters of each field. */
const sizes = { body: 100_000, headers: 20_000, secret: 300, at: 60 }

/** Reads a typed time: Unix seconds or milliseconds, or a date with a time. Undefined if it is not valid. */
const timeOf = (text: string): Date | undefined => {
  const at = /^\d{9,10}$/.test(text) ? Number(text) * 1000 : /^\d{13}$/.test(text) ? Number(text) : Date.parse(text)
  return Number.isNaN(at) ? undefined : new Date(at)
}

const errorsOf = ({ t }: Visit, form: Form): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(sizes).flatMap(([name, most]) =>
      form.raw(name).length > most ? [[name, t(`At most ${most} characters.`, `Máximo ${most} caracteres.`)]] : []
    )
  ),
  ...(form.text("at") === "" || timeOf(form.text("at")) !== undefined
    ? {}
    : { at: t("The time is not valid.", "La hora no es válida.") })
})

// A check hashes the body with every secret and for every possible change: seconds of work at worst. The queue keeps
// other requests fast.
const inTurn = makeTurns("webhook check", 2)

const checkSignature = Effect.fnUntraced(function* (visit: Visit, form: Form) {
  const { principal } = visit.session
  if (principal.livemode) return livePage(visit, 403)
  const errors = errorsOf(visit, form)
  if (Object.keys(errors).length > 0) return yield* shown(visit, { sent: { form, errors } })
  const endpoints = yield* visit.read((yield* WebhookEndpoints).signingSecrets)
  const body = form.raw("body")
  const id = eventIdOf(body)
  const event = yield* eventBody(visit, id)
  const given = form.text("at") === "" ? undefined : timeOf(form.text("at"))
  const now = given ?? new Date(yield* Clock.currentTimeMillis)
  const pasted = { body, headers: headersOf(form.raw("headers")), secret: form.raw("secret"), now }
  const verdict = yield* inTurn(
    visit,
    Effect.promise(() => check(pasted, { endpoints, event }))
  )
  const named = id === null ? null : { id, isKnown: event !== null }
  return yield* shown(visit, {
    sent: { form, errors: {}, found: { verdict, now, isAsOf: given !== undefined, event: named } }
  })
})

/** Adds the handler of a sandbox change. If the API rejects the input, shows the form again. */
const sending = (
  path: `/${string}`,
  name: string,
  run: (visit: Visit, form: Form) => Effect.Effect<unknown, Refusal, SandboxAuthorities>
) =>
  change(path, (visit, form) =>
    visit.session.principal.livemode
      ? livePage(visit, 403)
      : run(visit, form).pipe(
          Effect.as({ to: "/portal/bench", notice: name }),
          Effect.catchIf(
            ({ status }) => status === 400 || status === 422,
            (refusal) => shown(visit, { refused: { action: path, form, refusal } })
          )
        )
  )

const authority = (visit: Visit, form: Form, request: typeof AuthorityModeRequest.Encoded | object) =>
  visit.send("POST", "/v1/test-helpers/authority", request, form)

const stepOf = (form: Form): Record<string, unknown> => {
  const outcome = form.text("outcome")
  const rules = form
    .text("rules")
    .split(/[\s,;]+/)
    .filter((rule) => rule !== "")
  const delay = form.text("delay")
  return {
    ...(outcome === "" ? {} : { [outcome]: outcome === "reject" ? rules : true }),
    ...(delay === "" ? {} : { delay: /^\d+$/.test(delay) ? Number(delay) : delay })
  }
}

const addStep = Effect.fnUntraced(function* (visit: Visit, form: Form) {
  const { next } = yield* visit.read((yield* SandboxAuthorities).setting)
  const all: ReadonlyArray<AuthorityScript | object> = [...next, stepOf(form)]
  yield* authority(visit, form, { next: all }).pipe(
    // The browser sent the form twice. The first request added the script, so the second would send a different list.
    Effect.catchIf(
      ({ code }: Refusal) => code === "idempotency_conflict",
      () => Effect.void
    )
  )
})

/** The sandbox tools of the test mode. */
export const layer = Layer.mergeAll(
  page("/portal/bench", (visit) => shown(visit)),
  page(signaturePath, (visit) => shown(visit)),
  change(signaturePath, checkSignature),
  sending(paths.mode, "authority", (visit, form) => authority(visit, form, { mode: form.text("mode") })),
  sending(paths.scripts, "planned", addStep),
  sending(paths.clear, "cleared", (visit, form) => authority(visit, form, { next: [] })),
  sending(paths.reset, "reset", (visit, form) => authority(visit, form, { mode: "up", next: [] })),
  sending(paths.clock, "clock", (visit, form) =>
    visit.send("POST", "/v1/test-helpers/advance", { seconds: Number(form.text("seconds")) }, form)
  )
)
