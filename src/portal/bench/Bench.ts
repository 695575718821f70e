import { Clock, Effect, Layer } from "effect"
import type { AuthorityModeRequest, AuthorityScript } from "../../../schemas/TestHelper.ts"
import { html } from "../../http/pages/Html.ts"
import { SandboxAuthorities, type SandboxSetting } from "../../store/sandbox/SandboxAuthorities.ts"
import { WebhookEndpoints } from "../../store/webhooks/WebhookEndpoints.ts"
import type { Form } from "../forms/SentForm.ts"
import { type Page, titled } from "../frame/Layout.ts"
import { notice } from "../frame/Parts.ts"
import { orNull, type Refusal } from "../frame/Refusal.ts"
import { change, page } from "../frame/Routes.ts"
import { makeTurns } from "../frame/Turns.ts"
import type { Visit } from "../frame/Visit.ts"
import { headersOf } from "./HeaderLines.ts"
import { authoritySection, clockSection, paths, type Refused } from "./SandboxForms.ts"
import { check, eventIdOf } from "./SignatureCheck.ts"
import { type Sent, signaturePath, signatureSection } from "./SignatureForm.ts"

interface Shown {
  readonly sent?: Sent
  readonly refused?: Refused
}

const title = ({ t }: Visit) => t("Sandbox tools", "Pruebas")

const livePage = (visit: Visit, status: number): Page => {
  const { t, to } = visit
  const sub = t("The sandbox tools belong to the test mode.", "Esta página es del modo de pruebas.")
  const live = titled(
    null,
    { title: title(visit), sub },
    html`<p>
        ${t("This session is of the live mode, where nothing is simulated. Open the portal with a test key to use the sandbox tools.", "Esta sesión es de producción, donde nada se simula. Abra el portal con una clave de pruebas para usarla.")}
      </p>
      <p><a href="${to("/portal")}">${t("Home", "Inicio")}</a></p>`
  )
  return { ...live, status }
}

const notices = ({ t }: Visit) => ({
  authority: t("The simulated authority is set.", "La DIAN simulada quedó configurada."),
  planned: t("It is planned for one more document.", "Quedó planeado para un documento más."),
  cleared: t("Nothing is planned any more.", "Ya no hay nada planeado."),
  reset: t(
    "The simulated authority is up, and nothing is planned.",
    "La DIAN simulada está disponible y no hay nada planeado."
  ),
  clock: t("The clock of the test mode is advanced.", "El reloj del modo de pruebas se adelantó.")
})

const benchPage = (visit: Visit, standing: SandboxSetting, body: string, { refused, sent }: Shown): Page => {
  const { may, t } = visit
  const sub = t(
    "For tests: find out why a webhook is refused, and decide what the authority does.",
    "Para pruebas: averigüe por qué se rechaza un webhook y decida qué hace la DIAN."
  )
  const only = html`<p class="soft">
    ${t("This session may look. To change the authority and the clock it needs the capability setup.", "Esta sesión puede mirar. Para cambiar la DIAN simulada y el reloj necesita la capacidad setup.")}
  </p>`
  const bench = titled(
    "bench",
    { title: title(visit), sub, above: notice(visit, notices(visit)) },
    may("setup") ? null : only,
    html`<div class="grid">
      <div>${signatureSection(visit, sent, body)}${clockSection(visit, refused)}</div>
      <div>${authoritySection(visit, standing, refused)}</div>
    </div>`
  )
  const isRight = refused === undefined && (sent === undefined || sent.found !== undefined)
  return { ...bench, status: isRight ? 200 : 422 }
}

/** The bytes of an event of the account as they are delivered; null if there is no such event. */
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
  const standing = yield* visit.read((yield* SandboxAuthorities).setting)
  const body = (yield* eventBody(visit, visit.query.get("event"))) ?? ""
  return benchPage(visit, standing, body, what)
})

/** The most characters of each field. */
const sizes = { body: 100_000, headers: 20_000, secret: 300, at: 60 }

/** The time that was typed: Unix seconds or milliseconds, or a date with its time; undefined if it is none. */
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
    : { at: t("That is not a time.", "Eso no es una hora.") })
})

// A body is hashed with every secret and in every way that it may have been changed: seconds of work at worst, of which others see little.
const inTurn = makeTurns("webhook to be checked", 2)

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

/** Sends a change of the sandbox; a refusal of what was typed shows the form again. */
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
    // The form was sent twice: the first one has added the step, so that the second one would send another list.
    Effect.catchIf(
      ({ code }: Refusal) => code === "idempotency_conflict",
      () => Effect.void
    )
  )
})

/** The bench of the test mode. */
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
