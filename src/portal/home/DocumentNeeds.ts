import { authorityTroubles } from "../../invoices/rules/AuthorityTroubles.ts"
import { inContingency } from "../../operations/rules/Findings.ts"
import { html } from "../../http/pages/Html.ts"
import { figure, time } from "../frame/Formats.ts"
import { type Facts, many, type Need, needsOfFindings, type Reader, seeWords } from "./Need.ts"

/* The problems of documents that need attention. */

const documentsIn = (status: string) => `/portal/documents?status=${status}`

interface Troubled {
  readonly count: number
  readonly id: string
  readonly full_number: string | null
  readonly oldest: Date
}

/** The page of a single document, or the list of several. */
const pageOf = ({ count, id }: Troubled, status: string) =>
  count === 1 ? `/portal/documents/${id}` : documentsIn(status)

const unacceptedNeeds = (reader: Reader, { unaccepted }: Facts): ReadonlyArray<Need> =>
  unaccepted
    .toSorted((one, other) => (one.state < other.state ? -1 : 1))
    .map((row) => {
      const { t } = reader
      const name = row.full_number ?? t("A document", "Un documento")
      const count = many(reader, row.count)
      const failed = row.state === "failed"
      const words =
        row.count === 1
          ? failed
            ? html`${t(`${name} failed`, `${name} falló`)} (${time(reader, row.oldest)}).`
            : html`${t(`${name} was rejected by the authority`, `${name} fue rechazado por la DIAN`)}
              (${time(reader, row.oldest)}).`
          : failed
            ? html`${t(`${count} documents failed`, `${count} documentos fallaron`)};
              ${t("the oldest", "el más antiguo")}: ${time(reader, row.oldest)}.`
            : html`${t(`${count} documents were rejected by the authority`, `${count} documentos fueron rechazados por la DIAN`)};
              ${t("the oldest", "el más antiguo")}: ${time(reader, row.oldest)}.`
      return { tone: "bad", words, to: pageOf(row, row.state), link: seeWords(reader, row) }
    })

const documentsWord = ({ t }: Reader, count: number, shown: string) =>
  count === 1 ? t("1 document", "1 documento") : t(`${shown} documents`, `${shown} documentos`)

const earliest = (times: ReadonlyArray<Date>): Date | null => times.toSorted((one, other) => +one - +other)[0] ?? null

const contingencyNeed = (reader: Reader, { now, waiting }: Facts): ReadonlyArray<Need> => {
  const all = waiting.filter(({ is_contingency }) => is_contingency)
  const [first] = all
  if (first === undefined) return []
  const count = all.reduce((sum, row) => sum + row.count, 0)
  const deadline = earliest(all.flatMap(({ transmit_before }) => transmit_before ?? []))
  const since = earliest(all.map(({ oldest }) => oldest)) ?? now
  const left_ms = deadline === null ? null : deadline.getTime() - now.getTime()
  const findings = inContingency.find({ count, since, deadline, left_ms, account_ids: [] })
  const to = pageOf({ ...first, count }, "accepted_contingency")
  return needsOfFindings(reader, findings, { to, link: seeWords(reader, { count }) })
}

/** The party that a waiting document waits for. */
const ofWaiting = (code: Facts["waiting"][number]["code"]) => {
  if (code === "numbering_held") return "restore"
  if (code === "signer_unavailable") return "signer"
  return code === null ? "authority" : authorityTroubles[code].of
}

const waitingNeeds = (reader: Reader, { isHindered, waiting }: Facts): ReadonlyArray<Need> => {
  const { t } = reader
  return waiting
    .filter(({ is_contingency }) => !is_contingency)
    .map((row) => {
      const of = ofWaiting(row.code)
      const who = documentsWord(reader, row.count, many(reader, row.count))
      const verb = t("waiting", "en espera")
      const whys: Record<typeof of, string> = {
        authority: isHindered
          ? t(
              "the simulated authority is not in the mode “Up”. Reset it in the sandbox tools.",
              "la DIAN simulada no está en el modo «Disponible». Restablézcala en las herramientas de pruebas."
            )
          : t(
              "the authority doesn’t respond. Folio continues when it does.",
              "la DIAN no responde. Folio continúa cuando responda."
            ),
        service: t(
          "this service can’t reach the authority. Contact the operator.",
          "este servicio no puede acceder a la DIAN. Comuníquese con el operador."
        ),
        account: t(
          "the authority rejects your certificate or your right to issue. Open the document for the next step.",
          "la DIAN rechaza su certificado o su autorización para facturar. Abra el documento para ver qué hacer."
        ),
        signer: t(
          "the signer with your certificate’s key gives no signatures. Contact the operator.",
          "el servicio de firma que guarda la clave de su certificado no responde con firmas válidas. Comuníquese con el operador."
        ),
        restore: t(
          "the operator restored the service from a backup. Folio assigns no numbers until the operator confirms the last number.",
          "el operador restauró el servicio de una copia de seguridad. Folio no asigna números hasta que el operador confirme el último número."
        ),
        document: t(
          "the authority is still validating. No action is needed.",
          "la DIAN todavía está validando. No hay que hacer nada."
        )
      }
      const tone = ["service", "restore", "signer", "account"].includes(of) ? "bad" : "wait"
      const isSandbox = of === "authority" && isHindered
      return {
        tone,
        words: html`${who} ${verb} ${t("since", "desde el")} ${time(reader, row.oldest)}: ${whys[of]}`,
        to: isSandbox ? "/portal/bench" : pageOf(row, "draft"),
        link: isSandbox ? t("Sandbox tools", "Herramientas de pruebas") : seeWords(reader, row)
      }
    })
}

/** Late drafts without a known cause. Folio retries them, but a person should check. */
const lateNeeds = (reader: Reader, { today, waiting }: Facts): ReadonlyArray<Need> => {
  const { t } = reader
  const late = today
    .filter(({ state }) => ["queued", "numbered", "signed", "submitted"].includes(state))
    .reduce((sum, row) => sum + row.late, 0)
  const explained = waiting.filter(({ is_contingency }) => !is_contingency).reduce((sum, row) => sum + row.count, 0)
  if (late <= explained) return []
  const who = documentsWord(reader, late, figure(reader.t, late))
  const words = html`${who}
  ${t("from today in progress for more than ten minutes.", "de hoy en curso desde hace más de diez minutos.")}`
  return [{ tone: "bad", words, to: documentsIn("draft"), link: seeWords(reader, { count: late }) }]
}

const bouncedNeeds = (reader: Reader, { bounced }: Facts): ReadonlyArray<Need> => {
  const { t } = reader
  if (bounced.count === 0 || bounced.id === null) return []
  const words =
    bounced.count === 1
      ? t("The email of a document bounced.", "El correo de un documento fue devuelto.")
      : t(
          `The emails of ${many(reader, bounced.count)} documents bounced.`,
          `Los correos de ${many(reader, bounced.count)} documentos fueron devueltos.`
        )
  const isOne = bounced.count === 1
  const to = isOne ? `/portal/documents/${bounced.id}` : "/portal/events?type=invoice.email.bounced"
  return [{ tone: "wait", words: html`${words}`, to, link: seeWords(reader, bounced) }]
}

/** A simulated authority that is set to fail, while no document waits for it. */
const hinderedNeeds = ({ t }: Reader, { isHindered, waiting }: Facts): ReadonlyArray<Need> => {
  if (!isHindered || waiting.some(({ is_contingency }) => !is_contingency)) return []
  const words = t(
    "The simulated authority is not in the mode “Up”. Folio treats new documents as in an outage.",
    "La DIAN simulada no está en el modo «Disponible». Folio trata los documentos nuevos como en una indisponibilidad."
  )
  return [
    { tone: "wait", words: html`${words}`, to: "/portal/bench", link: t("Sandbox tools", "Herramientas de pruebas") }
  ]
}

/** The needs of documents. */
export const documentNeeds = (reader: Reader, facts: Facts): ReadonlyArray<Need> => [
  ...contingencyNeed(reader, facts),
  ...waitingNeeds(reader, facts),
  ...hinderedNeeds(reader, facts),
  ...lateNeeds(reader, facts),
  ...unacceptedNeeds(reader, facts),
  ...bouncedNeeds(reader, facts)
]
