import { Clock, Duration, Effect, Layer } from "effect"
import type { AuthorityError } from "../../../schemas/FiscalDocument.ts"
import type { AccountId } from "../../../schemas/Id.ts"
import type { Identification } from "../../../schemas/Party.ts"
import type { AuthorityMode, AuthorityScript } from "../../../schemas/TestHelper.ts"
import {
  Authority,
  AuthorityRefusal,
  AuthorityUnavailable,
  type DocumentName,
  type Submission,
  type Verdict,
  type AuthorityAcquirer
} from "./Authority.ts"
import { unavailable } from "./AuthorityAnswers.ts"
import type { AuthorityEvent } from "../rules/AcceptanceRules.ts"
import { type BrokenRule, rejectionBy, remarkOf } from "./RuleHints.ts"
import { isSandboxIdentification } from "../../documents/rules/parties/CheckDigit.ts"

export type { BrokenRule }

/** The fields of a submitted document from which the simulated authority chooses its verdict. */
export interface SubmittedDocument {
  readonly cufe: string
  readonly full_number: string
  readonly acquirer: { readonly identification: Identification }
}

// Enough for every document in progress. Folio resubmits a document whose verdict was dropped, and the document gets
// the same verdict.
const rememberedMax = 10_000

const slowAnswer = Duration.seconds(10)

// Together with the 10 s of the mode `slow`, still within the service's time-out of 60 s. A document with a longer
// delay gets its response in a later call.
const longestCallMs = 45_000
const flakyFailures = 2

const answered = (
  document: { readonly full_number: string } | null,
  errors: ReadonlyArray<AuthorityError>,
  notifications: ReadonlyArray<AuthorityError> = []
): Verdict => {
  const accepted = errors.length === 0
  return {
    accepted,
    errors,
    notifications,
    answer: {
      StatusCode: accepted ? "00" : "99",
      IsValid: accepted,
      StatusDescription: accepted ? "Procesado Correctamente." : "Validación contiene errores en campos mandatorios.",
      StatusMessage: accepted ? `La Factura electrónica ${document?.full_number ?? ""}, ha sido autorizada.` : "",
      ErrorMessage: [...errors, ...notifications].map(
        (error) =>
          `Regla: ${error.rule}, ${error.severity === "rejection" ? "Rechazo" : "Notificación"}: ${error.message}`
      )
    }
  }
}

/** The errors of a document whose acquirer selects a rejection. */
const standardRejection = [rejectionBy("FAD06", "cufe"), rejectionBy("FAK24", "acquirer.identification.check_digit")]

/** The remark on a document whose acquirer selects a notification. */
const nameNotice = remarkOf({ rule: "FAJ43b", severity: "notification", path: "issuer.legal_name" })

const judge = (
  document: SubmittedDocument,
  outcome: Outcome | undefined,
  script: AuthorityScript | null,
  check: (() => ReadonlyArray<BrokenRule>) | undefined
): Verdict => {
  if (outcome === "accept") return answered(document, [])
  if (outcome === "reject")
    return answered(document, script?.reject?.map((rule) => rejectionBy(rule)) ?? standardRejection)
  const remarks = check?.().map(remarkOf) ?? []
  const errors = remarks.filter(({ severity }) => severity === "rejection")
  const notifications = remarks.filter(({ severity }) => severity === "notification")
  return answered(document, errors, outcome === "notify" ? [nameNotice, ...notifications] : notifications)
}

const unreachable = "The authority's service cannot be reached."

const scriptedOutage = new AuthorityUnavailable({
  message: unreachable,
  trouble: "connection_refused",
  of_document: true,
  lasts: true
})
const notAuthorised = (nit: string) =>
  new AuthorityRefusal({ message: `NIT ${nit} no autorizado a enviar documentos para emisor con NIT ${nit}.` })

// The key includes the account: two accounts that test with the same issuer can have documents with the same CUFE.
const keyOf = ({ account_id, cufe, livemode }: DocumentName) => `${account_id}|${livemode}|${cufe}`

const remember = <A>(all: Map<string, A>, key: string, one: A) => {
  all.set(key, one)
  if (all.size > rememberedMax) all.delete(all.keys().next().value ?? "")
}

/**
 * The simulated authority. A document's script, or else its acquirer's identification, selects the outcome. Verdicts
 * are kept in memory only: a document whose verdict was dropped gets the same verdict again.
 *
 * @param options.read     the content of a document whose signature verifies, else null
 * @param options.check    the rules that signed bytes with this content break, apart from the outcome that acquirer or
 *                         script select; none if omitted
 * @param options.respond  the response in XML, given the time in Unix milliseconds; if omitted, responses have no XML
 * @param options.latency  the time until each response
 * @param options.modeOf   the authority's mode that a test account has chosen; if omitted, `up`
 * @param options.scriptOf the script of a test document, the same in every call; if omitted, none
 *
 * @example
 * ```ts
 * import { AuthorityLive, AuthoritySandbox } from "@folio-einvoicing/service/ports"
 *
 * // The simulated authority for documents that a national profile of the team has written as JSON.
 * const test = AuthoritySandbox.layer({
 *   read: (signed) => JSON.parse(Buffer.from(signed).toString().split("\n")[0] ?? "null"),
 *   latency: "300 millis"
 * })
 *
 * export const authority = AuthorityLive.layerByMode({ test, live: undefined })
 * ```
 */
export const layer = <D extends SubmittedDocument>(options: {
  readonly read: (signed: Uint8Array) => D | null
  readonly check?: (signed: Uint8Array, document: D) => ReadonlyArray<BrokenRule>
  readonly respond?: (document: D, verdict: Verdict, at: number) => Uint8Array
  readonly latency: Duration.Input
  readonly modeOf?: (account_id: AccountId) => Effect.Effect<AuthorityMode>
  readonly scriptOf?: (document: DocumentName) => Effect.Effect<AuthorityScript | null>
}): Layer.Layer<Authority> =>
  Layer.sync(Authority, () => {
    const verdicts = new Map<string, Verdict>()
    const failures = new Map<string, number>()
    const arrivals = new Map<string, number>()

    const modeOf = options.modeOf ?? (() => Effect.succeed<AuthorityMode>("up"))
    const noScript: Effect.Effect<AuthorityScript | null> = Effect.succeed(null)
    const scriptOf = options.scriptOf ?? (() => noScript)

    const verdictOf = Effect.fnUntraced(function* (
      document: D,
      outcome: Outcome | undefined,
      script: AuthorityScript | null,
      signed: Uint8Array
    ) {
      const { check } = options
      const verdict = judge(document, outcome, script, check && (() => check(signed, document)))
      if (options.respond === undefined) return verdict
      const xml = options.respond(document, verdict, yield* Clock.currentTimeMillis)
      const XmlBase64Bytes = Buffer.from(xml).toString("base64")
      return { ...verdict, answer: { ...Object(verdict.answer), XmlBase64Bytes } }
    })

    /** Waits for the latency and returns mode and script; fails with `AuthorityUnavailable` in the mode `down`. */
    const reach = Effect.fnUntraced(function* (
      { account_id, livemode }: DocumentName,
      readScript: Effect.Effect<AuthorityScript | null>
    ) {
      yield* Effect.sleep(options.latency)
      if (livemode) return { mode: "up" as const, script: null }
      // Concurrently, so that the service reads both in one statement.
      const [mode, script] = yield* Effect.all([modeOf(account_id), readScript], { concurrency: 2 })
      if (mode === "down")
        return yield* new AuthorityUnavailable({ message: unreachable, trouble: "connection_refused" })
      if (mode === "slow") yield* Effect.sleep(slowAnswer)
      return { mode, script }
    })

    /**
     * Waits until this many seconds have passed since the document's first submission. Fails if the wait exceeds the
     * time of a call.
     */
    const ripen = Effect.fnUntraced(function* (key: string, seconds: number) {
      const now = yield* Clock.currentTimeMillis
      const arrived = arrivals.get(key) ?? now
      remember(arrivals, key, arrived)
      const leftMs = arrived + seconds * 1000 - now
      yield* Effect.sleep(Math.max(0, Math.min(leftMs, longestCallMs)))
      if (leftMs > longestCallMs)
        return yield* unavailable("in_process", "The authority's service has no outcome of the document yet.")
    })

    const submit = Effect.fn("AuthoritySandbox.submit")(function* (submission: Submission) {
      const { cufe, in_contingency, issuer_nit, signed } = submission
      const key = keyOf(submission)
      const { mode, script } = yield* reach(submission, scriptOf(submission))
      const document = options.read(signed)
      if (document === null || document.cufe !== cufe) return answered(null, [rejectionBy("ZE02")])
      const outcome = outcomeOf(script) ?? ofAcquirer(document)
      // The document does not leave. Contingency ends its simulated outage, so that no test has to wait for the end.
      if (outcome === "away" && !in_contingency) return yield* scriptedOutage
      if (script?.delay !== undefined) yield* ripen(key, script.delay)
      if (outcome === "refuse") return yield* notAuthorised(issuer_nit)
      if (outcome === "flaky" || mode === "flaky") {
        const failed = failures.get(key) ?? 0
        if (failed < flakyFailures) {
          remember(failures, key, failed + 1)
          const message = "The authority's service returned 503."
          return yield* outcome === "flaky"
            ? unavailable("server_error", message)
            : new AuthorityUnavailable({ message, trouble: "server_error" })
        }
      }
      // Also clears the count of a document that failed once before its account left the mode `flaky`.
      failures.delete(key)
      if (outcome === "slow") yield* Effect.sleep(slowAnswer)
      const known = verdicts.get(key)
      const verdict = known ?? (yield* verdictOf(document, outcome, script, signed))
      remember(verdicts, key, verdict)
      if (outcome === "lose" && known === undefined)
        return yield* unavailable("no_answer", "The connection broke before the authority's response arrived.")
      return verdict
    })

    const verdict = Effect.fn("AuthoritySandbox.verdict")((document: DocumentName) =>
      Effect.map(reach(document, noScript), () => verdicts.get(keyOf(document)) ?? null)
    )

    // The events are one second apart, the last one now. The service keeps the first response.
    const events = Effect.fn("AuthoritySandbox.events")(function* (document: DocumentName) {
      const { script } = yield* reach(document, scriptOf(document))
      const now = yield* Clock.currentTimeMillis
      return (script?.events ?? []).map((code, index, { length }): AuthorityEvent => ({
        code,
        at: now - (length - 1 - index) * 1000,
        by: code === "034" ? "Emisor de la factura" : "Adquiriente de la factura",
        claim: code === "031" ? "01" : null
      }))
    })

    return Authority.of({
      submit,
      verdict,
      events,
      acquirer: ({ number, type }) => Effect.succeed(knownAcquirer(type, number))
    })
  })

/** An outcome in the simulated authority. */
type Outcome = "accept" | "reject" | "away" | "refuse" | "slow" | "flaky" | "notify" | "lose"

/** The outcomes that acquirers' NITs select in the sandbox. */
const outcomesByNit: Readonly<Record<string, Outcome>> = {
  "900000002": "reject",
  "900000003": "away",
  "900000004": "refuse",
  "900000005": "slow",
  "900000006": "flaky",
  "900000007": "notify",
  "900000008": "lose"
}

/** The outcome that a document's own script selects. It has priority over the acquirer's. */
const outcomeOf = (script: AuthorityScript | null): Outcome | undefined => {
  if (script?.accept) return "accept"
  if (script?.reject) return "reject"
  if (script?.lose) return "lose"
  if (script?.contingency) return "away"
  return script?.fail ? "refuse" : undefined
}

/** The outcome that a document's acquirer selects. */
const ofAcquirer = ({
  acquirer: { identification }
}: {
  readonly acquirer: { readonly identification: Identification }
}): Outcome | undefined => {
  if (isSandboxIdentification(identification)) return "accept"
  return identification.type === "31" ? outcomesByNit[identification.number] : undefined
}

/** The acquirers in the simulated authority's records. */
const acquirersByNit: Readonly<Record<string, AuthorityAcquirer>> = Object.fromEntries(
  ["900000001", ...Object.keys(outcomesByNit)].map((nit) => [
    nit,
    { name: `Adquiriente de Prueba ${nit} S.A.S.`, email: `facturas@${nit}.test` }
  ])
)
/** The acquirer with this identification in the simulated authority's records, or null. */
const knownAcquirer = (type: string, number: string): AuthorityAcquirer | null =>
  type === "31" && Object.hasOwn(acquirersByNit, number) ? (acquirersByNit[number] ?? null) : null
