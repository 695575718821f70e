import { Clock, Duration, Effect, Layer } from "effect"
import type { AuthorityError } from "../../../schemas/FiscalDocument.ts"
import type { AccountId } from "../../../schemas/Id.ts"
import type { Line, Totals } from "../../../schemas/Line.ts"
import type { Identification } from "../../../schemas/Party.ts"
import type { AuthorityMode } from "../../../schemas/TestHelper.ts"
import { isSandboxIdentification } from "../../domain/accounts/CheckDigit.ts"
import { totalsOf } from "../../domain/documents/Totals.ts"
import {
  Authority,
  AuthorityRefusal,
  AuthorityUnavailable,
  type DocumentName,
  type Submission,
  type Verdict
} from "./Authority.ts"

/**
 * The fields of a submitted document from which the simulated authority chooses its verdict.
 *
 * @example
 * ```ts
 * import type { SubmittedDocument } from "@folio-einvoicing/service/AuthoritySandbox"
 *
 * // Reads a document that a national profile of the team has written as JSON.
 * export const read = (signed: Uint8Array): SubmittedDocument | null => {
 *   const [text = "", signature] = Buffer.from(signed).toString().split("\n")
 *   return signature === undefined ? null : JSON.parse(text)
 * }
 * ```
 */
export interface SubmittedDocument {
  readonly cufe: string
  readonly full_number: string
  readonly acquirer: { readonly identification: Identification }
  readonly lines: ReadonlyArray<Line>
  readonly totals: Totals
}

// Enough for every document in progress; a document whose verdict was dropped is submitted again and gets the same verdict.
const rememberedMax = 10_000

const remark = (severity: AuthorityError["severity"], rule: string, message: string, path: string | null) => ({
  rule,
  severity,
  message,
  path,
  hint: null
})

const cufeError = remark("rejection", "FAD06", "Valor del CUFE no está calculado correctamente", "cufe")
const checkDigitError = remark(
  "rejection",
  "FAK24",
  "No está informado el DV del NIT",
  "acquirer.identification.check_digit"
)
const nameNotice = remark(
  "notification",
  "FAJ43b",
  "Nombre informado No corresponde al registrado en el RUT con respecto al Nit suministrado.",
  "issuer.legal_name"
)
const totalsError = remark(
  "rejection",
  "FAU02",
  "El Valor Bruto antes de tributos no es igual a la suma de los valores de las líneas de la factura",
  "totals.line_extension_amount"
)
const unreadable = remark("rejection", "ZE02", "Valor de la firma inválido.", null)

/** The outcome an acquirer's NIT stands for in the sandbox. */
const scripted: Readonly<Record<string, "reject" | "away" | "refuse" | "slow" | "flaky" | "notify" | "lose">> = {
  "900000002": "reject",
  "900000003": "away",
  "900000004": "refuse",
  "900000005": "slow",
  "900000006": "flaky",
  "900000007": "notify",
  "900000008": "lose"
}
const slowAnswer = Duration.seconds(10)
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

const judge = (document: SubmittedDocument): Verdict => {
  const identification = document.acquirer.identification
  if (isSandboxIdentification(identification)) return answered(document, [])
  const script = identification.type === "31" ? scripted[identification.number] : undefined
  if (script === "reject") return answered(document, [cufeError, checkDigitError])
  const expected = totalsOf(document.lines)
  if (expected.payable_amount !== document.totals.payable_amount) return answered(document, [totalsError])
  return answered(document, [], script === "notify" ? [nameNotice] : [])
}

const unreachable = "The authority's service cannot be reached."

// A scripted failure concerns only the documents of its acquirer, so it must not count as an outage of the authority.
const unavailable = (message: string) => Effect.fail(new AuthorityUnavailable({ message, of_document: true }))
const notAuthorised = (nit: string) =>
  new AuthorityRefusal({ message: `NIT ${nit} no autorizado a enviar documentos para emisor con NIT ${nit}.` })

// The key includes the account, because two accounts that test with the same issuer can have two documents with one CUFE.
const keyOf = ({ account_id, cufe, livemode }: DocumentName) => `${account_id}|${livemode}|${cufe}`

const remember = <A>(all: Map<string, A>, key: string, one: A) => {
  all.set(key, one)
  if (all.size > rememberedMax) all.delete(all.keys().next().value ?? "")
}

/**
 * The simulated authority. The acquirer's identification determines the outcome. Verdicts are kept in memory only: a document
 * whose verdict was dropped is judged again, with the same result.
 *
 * @param options.read     the content of a document whose signature verifies, else null
 * @param options.respond  the answer in XML, given the time in Unix milliseconds; without this function, answers have no XML
 * @param options.latency  how long each answer takes
 * @param options.modeOf   the authority's mode that a test account has chosen; always `up` if left out
 *
 * @example
 * ```ts
 * import * as AuthorityLive from "@folio-einvoicing/service/AuthorityLive"
 * import * as AuthoritySandbox from "@folio-einvoicing/service/AuthoritySandbox"
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
  readonly respond?: (document: D, verdict: Verdict, at: number) => Uint8Array
  readonly latency: Duration.Input
  readonly modeOf?: (account_id: AccountId) => Effect.Effect<AuthorityMode>
}): Layer.Layer<Authority> =>
  Layer.sync(Authority, () => {
    const verdicts = new Map<string, Verdict>()
    const failures = new Map<string, number>()

    const modeOf = options.modeOf ?? (() => Effect.succeed<AuthorityMode>("up"))

    const judged = Effect.fnUntraced(function* (document: D) {
      const verdict = judge(document)
      if (options.respond === undefined) return verdict
      const xml = options.respond(document, verdict, yield* Clock.currentTimeMillis)
      const XmlBase64Bytes = Buffer.from(xml).toString("base64")
      return { ...verdict, answer: { ...Object(verdict.answer), XmlBase64Bytes } }
    })

    /** Waits for the latency and returns the authority's mode; fails with `AuthorityUnavailable` in the mode `down`. */
    const reach = Effect.fnUntraced(function* ({ account_id, livemode }: DocumentName) {
      yield* Effect.sleep(options.latency)
      const mode = livemode ? "up" : yield* modeOf(account_id)
      if (mode === "down") return yield* new AuthorityUnavailable({ message: unreachable })
      if (mode === "slow") yield* Effect.sleep(slowAnswer)
      return mode
    })

    const submit = Effect.fn("AuthoritySandbox.submit")(function* (submission: Submission) {
      const { cufe, in_contingency, issuer_nit, signed } = submission
      const key = keyOf(submission)
      const mode = yield* reach(submission)
      const document = options.read(signed)
      if (document === null || document.cufe !== cufe) return answered(null, [unreadable])
      const { number, type } = document.acquirer.identification
      const script = type === "31" ? scripted[number] : undefined
      // The simulated outage of such a document ends when the document is issued in contingency.
      if (script === "away" && !in_contingency) return yield* unavailable(unreachable)
      if (script === "refuse") return yield* notAuthorised(issuer_nit)
      if (script === "flaky" || mode === "flaky") {
        const failed = failures.get(key) ?? 0
        if (failed < flakyFailures) {
          remember(failures, key, failed + 1)
          const message = "The authority's service answered 503."
          return yield* script === "flaky" ? unavailable(message) : new AuthorityUnavailable({ message })
        }
      }
      // Also clears the count of a document that failed once before its account left the mode `flaky`.
      failures.delete(key)
      if (script === "slow") yield* Effect.sleep(slowAnswer)
      const verdict = verdicts.get(key) ?? (yield* judged(document))
      const known = verdicts.has(key)
      remember(verdicts, key, verdict)
      if (script === "lose" && !known)
        return yield* unavailable("The connection broke before the authority's answer arrived.")
      return verdict
    })

    const verdict = Effect.fn("AuthoritySandbox.verdict")((document: DocumentName) =>
      Effect.map(reach(document), () => verdicts.get(keyOf(document)) ?? null)
    )

    return Authority.of({ submit, verdict })
  })
