import { Clock, Effect, Layer } from "effect"
import { type ApiKey, type ApiKeyWithKey, includes, KeyCapability } from "../../../schemas/ApiKey.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import type { Form } from "../forms/SentForm.ts"
import { bodyOf, faultsOf, type FormShape, sentValues } from "../forms/FormBody.ts"
import { boxes, field, form, inputsOf, refusedForm, warned } from "../forms/FormFields.ts"
import { time } from "../frame/Formats.ts"
import { capabilityWords, type Page } from "../frame/PortalLayout.ts"
import { listed, listTable, momentOf } from "../frame/Lists.ts"
import { type Column, copied, notice, section, state, wideFacts } from "../frame/Parts.ts"
import { orShown, type Refusal } from "../frame/Refusal.ts"
import { change, page } from "../frame/PortalRoutes.ts"
import type { Visit } from "../frame/Visit.ts"
import { setupPage, setupRoot } from "./SetupPage.ts"

const path = `${setupRoot}/keys` as const

const listOf = ({ t }: Visit) => [path, t("API keys", "Claves de la API")] as const

/** Whether Folio rejects requests with the key at the time `now`, in milliseconds. */
const hasEnded = ({ expires_at, revoked_at }: ApiKey, now: number) =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= now)

const keyState = (visit: Visit, key: ApiKey, now: number): Html => {
  const { t } = visit
  if (key.revoked_at !== null) return state("still", t("Revoked", "Revocada"))
  if (key.expires_at === null) return state("ok", t("Active", "Activa"))
  return hasEnded(key, now)
    ? state("still", t("Expired", "Vencida"))
    : html`${state("wait", t("Expires", "Vence"))}<br /><small
          >${t("works until", "funciona hasta")} ${time(visit, key.expires_at)}</small
        >`
}

const nameOf = ({ t }: Visit, { name }: ApiKey) => name ?? t("Unnamed", "Sin nombre")
const lastFour = ({ last_four }: ApiKey): Html => html`<code>…${last_four}</code>`
const isOwn = ({ session }: Visit, { id }: ApiKey) => session.principal.api_key_id === id

const lastUse = (visit: Visit, { last_used_at }: ApiKey): Html | string =>
  last_used_at === null ? visit.t("Never", "Nunca") : time(visit, last_used_at)

/** The capabilities of a key, in words. */
const mayWords = ({ t }: Visit, { capabilities }: Pick<ApiKey, "capabilities">): string =>
  capabilities === null
    ? t("everything", "todo")
    : capabilities.map((capability) => capabilityWords(t)[capability]).join(", ")

const shownIpsMax = 3

/** The capabilities of a key and its first addresses, for the list. */
const restrictions = (visit: Visit, { allowed_ips, capabilities }: ApiKey): Html => {
  const ips = allowed_ips?.slice(0, shownIpsMax).join(", ")
  const more = (allowed_ips?.length ?? 0) > shownIpsMax ? "…" : ""
  return html`${mayWords(visit, { capabilities })}${
    ips === undefined ? null : html`<br /><small>${visit.t("from", "desde")} ${ips}${more}</small>`
  }`
}

const ofSessionWords = (visit: Visit): Html =>
  html`<p class="soft">
    ${visit.t(
      "The new key has at most the capabilities of this session:",
      "La clave nueva tiene como máximo los permisos de esta sesión:"
    )}
    ${mayWords(visit, visit.session)}.
  </p>`

const columns = (visit: Visit, now: number): ReadonlyArray<Column<ApiKey>> => {
  const { t, to } = visit
  return [
    {
      title: t("Name", "Nombre"),
      cell: (key) =>
        html`<a href="${to(`${path}/${key.id}`)}">${nameOf(visit, key)}</a>${
            isOwn(visit, key) ? html`<br /><small>${t("opened this session", "abrió esta sesión")}</small>` : null
          }`
    },
    { title: t("Ends with", "Termina en"), cell: lastFour },
    { title: t("Capabilities", "Permisos"), cell: (key) => restrictions(visit, key), isWide: true },
    { title: t("Last use", "Último uso"), cell: (key) => lastUse(visit, key), isWide: true },
    { title: t("Status", "Estado"), cell: (key) => keyState(visit, key, now) }
  ]
}

/** Shows a new key. Folio shows it only once, in the response to the form that created it. */
const newKey = ({ t }: Visit, { key }: ApiKeyWithKey): Html =>
  html`<div class="notice" role="status">
    <p>
      <b>${t("Copy the new key now.", "Copie la clave nueva ahora.")}</b>
      ${t(
        "Folio keeps no copy and can’t show the key again.",
        "Folio no guarda ninguna copia y no puede mostrar la clave de nuevo."
      )}
    </p>
    <p class="secret" role="group" aria-label="${t("New key", "Clave nueva")}">${copied({ t }, key)}</p>
  </div>`

interface Shown {
  readonly made?: ApiKeyWithKey
  readonly sent?: Form
  readonly refusal?: Refusal
}

const shape: FormShape = {
  name: { empty: "omit" },
  capabilities: { kind: "list", empty: "omit" },
  allowed_ips: { kind: "words", empty: "omit" },
  expires_at: { empty: "omit" }
}

/** The body of a form for a new key. */
const requestOf = (sent: Form): Record<string, unknown> => {
  const expires_at = momentOf(sent.text("expires_at"))
  return { ...bodyOf(sent, shape), ...(expires_at === undefined ? {} : { expires_at }) }
}

/** The capabilities that a session can give to a key, with their names. A key with `view` has `read` as well. */
const choicesOf = ({ session, t }: Visit): ReadonlyArray<readonly [KeyCapability, string]> =>
  KeyCapability.literals
    .filter((one) => one !== "read" && session.capabilities.some((held) => includes(held, one)))
    .map((one) => [one, capabilityWords(t)[one]])

const creation = (visit: Visit, { refusal, sent }: Shown): Html => {
  const { t } = visit
  const shown = {
    values: sent === undefined ? new Map<string, ReadonlyArray<string>>() : sentValues(sent),
    faults: faultsOf(refusal?.errors, Object.keys(shape))
  }
  const input = inputsOf(shown)
  const content = [
    input("name", t("Key name", "Nombre de la clave"), {
      hint: t("For example, the program that will use it", "Por ejemplo, el programa que la usará")
    }),
    boxes(
      "capabilities",
      t("Capabilities (without a choice, those of this session)", "Permisos (sin elegir, los de esta sesión)"),
      choicesOf(visit),
      shown
    ),
    input("allowed_ips", t("Allowed addresses", "Direcciones permitidas"), {
      rows: 2,
      isCode: true,
      hint: t(
        "Addresses and networks, such as 203.0.113.7 or 10.1.0.0/16. If empty, those of the key that opened this session.",
        "Direcciones y redes, como 203.0.113.7 o 10.1.0.0/16. Si está vacío, las de la clave que abrió esta sesión."
      )
    }),
    input("expires_at", t("Expires", "Vence"), {
      type: "datetime-local",
      hint: t(
        "Colombian time. If empty, when the key that opened this session expires.",
        "Hora de Colombia. Si está vacía, cuando vence la clave que abrió esta sesión."
      )
    }),
    ofSessionWords(visit)
  ]
  return section(
    "new",
    t("New key", "Clave nueva"),
    form(visit, { action: path, submit: t("Create key", "Crear clave"), content })
  )
}

const listPage = Effect.fnUntraced(function* (visit: Visit, shown: Shown = {}) {
  const { may, session, t } = visit
  const list = yield* listed<ApiKey>(visit, "/v1/api-keys", 50)
  const { made, refusal } = shown
  const title = t("API keys", "Claves de la API")
  const about = session.principal.livemode
    ? t("Keys of live mode", "Claves de producción")
    : t("Keys of test mode", "Claves del modo de pruebas")
  const table = { caption: title, columns: columns(visit, yield* Clock.currentTimeMillis) }
  return setupPage(visit, title, about, [
    notice(visit, { revoked: t("Key revoked.", "Clave revocada.") }),
    made === undefined ? null : newKey(visit, made),
    refusedForm(visit, refusal, faultsOf(refusal?.errors, Object.keys(shape)).isNamed),
    section("list", t("Keys", "Claves"), listTable(visit, path, list, table)),
    may("keys") ? creation(visit, shown) : null
  ])
})

const overlaps = (t: Visit["t"]): ReadonlyArray<readonly [string, string]> => [
  ["0", t("Stops immediately", "Deja de funcionar de inmediato")],
  ["3600", t("Works for one more hour", "Funciona una hora más")],
  ["86400", t("Works for one more day", "Funciona un día más")],
  ["604800", t("Works for seven more days", "Funciona siete días más")]
]

const ownKeyWarning = (visit: Visit, key: ApiKey): Html | null =>
  isOwn(visit, key)
    ? html`<p class="wait">
        ${visit.t(
          "This key opened your session. The session ends when the key stops working.",
          "Esta clave abrió su sesión. La sesión termina cuando la clave deja de funcionar."
        )}
      </p>`
    : null

const roll = (visit: Visit, key: ApiKey): Html => {
  const { t } = visit
  return section(
    "roll",
    t("Roll", "Renovar"),
    html`<p>
        ${t(
          "Folio creates a new key with the same name. Keep the old key until you have replaced it in all your programs.",
          "Folio crea una clave nueva con el mismo nombre. Conserve la clave anterior hasta reemplazarla en todos sus programas."
        )}
      </p>
      ${form(visit, {
        action: `${path}/${key.id}/roll`,
        submit: t("Roll key", "Renovar clave"),
        kind: "first",
        content: [
          field("expires_in", t("Old key", "Clave anterior"), { value: "86400", choices: overlaps(t) }),
          ofSessionWords(visit)
        ]
      })}`
  )
}

const revocation = (visit: Visit, { id }: ApiKey): Html => {
  const { t } = visit
  return warned(
    visit,
    t("Revoke key…", "Revocar clave…"),
    t(
      "Folio then rejects all requests with this key. You can’t undo this.",
      "Después Folio rechaza todas las solicitudes con esta clave. No se puede deshacer."
    ),
    { action: `${path}/${id}/revoke`, submit: t("Revoke now", "Revocar ahora") }
  )
}

const keyOfPath = ({ get, id }: Visit) => get<ApiKey>(`/v1/api-keys/${id}`)

const endsWith = ({ t }: Visit, { last_four }: ApiKey) =>
  `${t("API key that ends with", "Clave de la API que termina en")} …${last_four}`

const keyPage = Effect.fnUntraced(function* (visit: Visit, key: ApiKey, refusal?: Refusal) {
  const { may, t } = visit
  const at = yield* Clock.currentTimeMillis
  const known = wideFacts([
    [t("Status", "Estado"), keyState(visit, key, at)],
    [t("Capabilities", "Permisos"), mayWords(visit, key)],
    [t("Allowed addresses", "Direcciones permitidas"), key.allowed_ips?.join(", ") ?? null],
    [t("Last use", "Último uso"), lastUse(visit, key)],
    [t("Created", "Creada"), time(visit, key.created_at)],
    [t("Revoked", "Revocada"), key.revoked_at === null ? null : time(visit, key.revoked_at)],
    [t("Id", "Id"), copied(visit, key.id)]
  ])
  const isChangeable = may("keys") && !hasEnded(key, at)
  return setupPage(
    visit,
    nameOf(visit, key),
    endsWith(visit, key),
    [
      refusedForm(visit, refusal, () => false),
      section("key", t("Key", "Clave"), known),
      isChangeable ? [ownKeyWarning(visit, key), roll(visit, key), revocation(visit, key)] : null
    ],
    { list: listOf(visit) }
  )
})

const ofPath = (visit: Visit) => Effect.flatMap(keyOfPath(visit), (key) => keyPage(visit, key))

const rolledPage = (visit: Visit, made: ApiKeyWithKey): Page =>
  setupPage(visit, nameOf(visit, made), endsWith(visit, made), [
    newKey(visit, made),
    html`<p><a href="${visit.to(path)}">${visit.t("All keys", "Todas las claves")}</a></p>`
  ])

/** The pages of the API keys. */
export const layer = Layer.mergeAll(
  page(path, (visit) => listPage(visit)),
  change(path, (visit, sent) =>
    visit.send<ApiKeyWithKey>("POST", "/v1/api-keys", requestOf(sent), sent).pipe(
      Effect.flatMap((made) => listPage(visit, { made })),
      orShown((refusal) => listPage(visit, { refusal, sent }))
    )
  ),
  page(`${path}/:id`, ofPath),
  // A reload of the page with a new key, the response to a form, shows this page.
  page(`${path}/:id/roll`, ofPath),
  change(`${path}/:id/roll`, (visit, sent) =>
    Effect.flatMap(keyOfPath(visit), (key) => {
      const body = bodyOf(sent, { expires_in: { kind: "number" } })
      return visit.send<ApiKeyWithKey>("POST", `/v1/api-keys/${key.id}/roll`, body, sent).pipe(
        Effect.map((made) => rolledPage(visit, made)),
        orShown((refusal) => keyPage(visit, key, refusal))
      )
    })
  ),
  change(`${path}/:id/revoke`, (visit) =>
    Effect.flatMap(keyOfPath(visit), (key) =>
      visit.send("DELETE", `/v1/api-keys/${key.id}`).pipe(
        Effect.as({ to: path, notice: "revoked" }),
        orShown((refusal) => keyPage(visit, key, refusal))
      )
    )
  )
)
