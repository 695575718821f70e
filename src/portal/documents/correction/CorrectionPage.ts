import { Effect, Layer, Result } from "effect"
import type { Violation } from "../../../../schemas/ApiError.ts"
import { type Customer, nameMin, plainText } from "../../../../schemas/Customer.ts"
import type { Validation } from "../../../../schemas/Validation.ts"
import { violation } from "../../../documents/rules/AuthorityRules.ts"
import { documentKinds } from "../../../../schemas/DocumentKinds.ts"
import { totalsOf } from "../../../documents/rules/Totals.ts"
import { parseStrict } from "../../../runtime/json/StrictJson.ts"
import { html } from "../../../http/pages/Html.ts"
import { kindWords } from "../../frame/DocumentWords.ts"
import { titled } from "../../frame/PortalLayout.ts"
import * as Form from "../../forms/SentForm.ts"
import type { Listed } from "../../frame/Lists.ts"
import { orNull, orShown, Refusal, refusedFor } from "../../frame/Refusal.ts"
import { inLanguage } from "../../frame/SpanishRefusals.ts"
import { change, page } from "../../frame/PortalRoutes.ts"
import type { Visit } from "../../frame/Visit.ts"
import { asInForm, changed, type Changed, requestOf } from "./Corrected.ts"
import { correctionForm, type Filled } from "./CorrectionForm.ts"
import { named, type Named } from "../DocumentView.ts"

const found = Effect.fnUntraced(function* ({ get }: Visit, search: string) {
  if (/^[\d.]{4,20}$/.test(search)) {
    const number = search.replaceAll(".", "")
    const lists = yield* Effect.forEach(["31", "13"], (type) =>
      get<Listed<Customer>>("/v1/customers", { "identification[type]": type, "identification[number]": number })
    )
    return lists.flatMap(({ data }) => data)
  }
  if (Array.from(plainText(search).trim()).length < nameMin) return []
  return (yield* get<Listed<Customer>>("/v1/customers", { name: search.slice(0, 450), limit: "10" })).data
})

const shownWith = Effect.fnUntraced(function* (
  visit: Visit,
  rejected: Named,
  sent: Form.Form,
  more: Partial<Pick<Filled, "refusal" | "found" | "checked">> = {}
) {
  const { t, to } = visit
  const { document, kind } = rejected
  const request = requestOf(kind, document)
  const customer = yield* orNull(visit.get<Customer>(`/v1/customers/${document.customer_id}`))
  // Offers the customer again that the person chose in the search results.
  const chosen = sent.raw("customer_id")
  const other =
    more.found === undefined && /^cust_\w+$/.test(chosen) && chosen !== customer?.id
      ? yield* orNull(Effect.map(visit.get<Customer>(`/v1/customers/${chosen}`), (one) => [one]))
      : null
  const filled: Filled = { ...rejected, request, sent, customer, checked: null, ...more, found: more.found ?? other }
  const shown = titled(
    "documents",
    {
      title: t("Correct", "Corregir"),
      sub: html`${kindWords(t, kind)} ${document.full_number} ·
        ${t("The document keeps its number and gets a new date and code.", "El documento conserva su número y recibe una fecha y un código nuevos.")}
        <a href="${to(`/portal/documents/${document.id}`)}">${t("Back", "Volver")}</a>`
    },
    correctionForm(visit, filled)
  )
  return more.refusal === undefined ? shown : { ...shown, status: more.refusal.status }
})

const noJson = (reason: string): Violation =>
  violation("request", "parameter_invalid", `The request must be a JSON object. ${reason}`, "schema")

/** The request of the form: its fields over the document, or the complete JSON request. */
const sentRequest = ({ document, kind }: Named, sent: Form.Form): Changed => {
  const request = requestOf(kind, document)
  if (!sent.names.includes("request")) return changed(kind, request, sent)
  const origins: ReadonlyArray<number> = []
  const parsed = parseStrict(new TextEncoder().encode(sent.raw("request")))
  if (Result.isFailure(parsed)) return { request, faults: [noJson(parsed.failure)], origins }
  const value = parsed.success
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
  return isObject
    ? { request: value as Changed["request"], faults: [], origins }
    : { request, faults: [noJson("Write the request in braces: {…}.")], origins }
}

const correct = (visit: Visit, sent: Form.Form) =>
  Effect.gen(function* () {
    const { send } = visit
    const rejected = yield* named(visit)
    const { document, kind, path } = rejected
    const step = sent.raw("step")
    if (step === "find")
      return yield* shownWith(visit, rejected, sent, { found: yield* found(visit, sent.text("customer_search")) })
    const { faults, origins, request } = sentRequest(rejected, sent)
    if (faults.length > 0)
      return yield* shownWith(visit, rejected, sent, { refusal: inLanguage(visit.language, refusedFor(faults)) })
    const inForm = asInForm(origins)
    const done = Effect.gen(function* () {
      const validation = yield* send<Validation>("POST", `${documentKinds[kind].path}/validate`, request)
      if (validation.errors.length > 0) return yield* inLanguage(visit.language, refusedFor(validation.errors))
      if (step !== "send") {
        const warnings = (validation.warnings ?? []).map(({ message }) => message)
        return yield* shownWith(visit, rejected, sent, {
          checked: { totals: totalsOf(request.lines, request), warnings }
        })
      }
      yield* send("POST", `${path}/correct`, request, sent)
      return { to: `/portal/documents/${document.id}`, notice: "corrected" }
    })
    return yield* done.pipe(
      orShown((refusal) =>
        shownWith(visit, rejected, sent, { refusal: new Refusal({ ...refusal, errors: refusal.errors.map(inForm) }) })
      )
    )
  })

const correctPage = (visit: Visit) => Effect.flatMap(named(visit), (rejected) => shownWith(visit, rejected, Form.empty))

/** The pages that correct a rejected document and transmit it to the authority again. */
export const layer = Layer.mergeAll(
  page("/portal/documents/:id/correct", correctPage),
  change("/portal/documents/:id/correct", correct)
)
