import type { FindingFacts, FindingOwner } from "../../../schemas/Finding.ts"
import type { IncidentDetails, IncidentKind } from "../../../schemas/Incident.ts"
import { endsWithinDays, usedTenths } from "../../documents/rules/parties/ResolutionRules.ts"
import { authorityTroubles } from "../../invoices/rules/AuthorityTroubles.ts"

/*
 * The faults of Folio and of an account: their conditions, their severity, their text and their fix. Incidents, alerts
 * and `folio doctor` show findings to the operator; the portal shows an account its own. Alerts leave Folio, so a
 * finding has no URL, no address and no name but the issuer's.
 */

/** Certificates are reported again this many days before their end. */
const endsSoonWithinDays = 7
/** Documents in contingency are reported again this many hours before their deadline. */
const deadlineHours = 12
/** `folio doctor` fails on a range with fewer numbers than this, or less than a hundredth of them. */
const scarceNumbers = 100

/** A sentence with the names of facts in braces; with a Spanish version if the portal shows it to an account. */
type Sentence = readonly [en: string, es?: string]

/** A fault that one check has found. */
export interface Finding<Name extends string = IncidentKind> {
  readonly kind: Name
  /** Lesser kinds that this finding keeps open but does not open: an expired certificate also counts as expiring. */
  readonly covers: ReadonlyArray<Name>
  readonly subject: string
  readonly severity: "critical" | "warning"
  readonly account: FindingOwner | null
  /** Start of the fault; null if unknown. */
  readonly since: Date | null
  readonly sentence: Sentence
  /** The facts of the sentence. */
  readonly facts: object
  /** The fix for the operator. */
  readonly action: string
  /** The fix for the issuer: in English with the operations of the API, in Spanish for the email. */
  readonly fix: Sentence
  /** Whether `folio doctor` fails on the finding, if it checks this kind. */
  readonly failsDoctor: boolean
  readonly details: IncidentDetails
}

interface Kind<Facts> {
  readonly severity: Finding["severity"]
  /** Omitted if the query selects nothing else. */
  readonly when?: (facts: Facts) => boolean
  readonly since?: (facts: Facts) => Date
  readonly failsDoctor?: (facts: Facts) => boolean
  readonly sentence: Sentence | ((facts: Facts) => Sentence)
  readonly action?: string
  readonly fix?: Sentence
}

/** The known facts of one subject. `name`: the subject's name for the reader, if not its id. */
type Known<Facts> = Facts & Partial<FindingOwner> & { readonly name?: string | Sentence; readonly since?: Date }

/** The kinds of findings about one subject, the gravest last. */
export interface Kinds<Row, Name extends string = IncidentKind> {
  readonly kinds: ReadonlyArray<Name>
  /** The finding of the gravest kind that applies; none if no kind applies. */
  readonly find: (row: Row) => ReadonlyArray<Finding<Name>>
}

const kindsOf = <Facts, Name extends string>(
  about: (known: Known<Facts>) => Pick<Finding, "subject" | "details"> & Partial<Pick<Finding, "action" | "fix">>,
  table: Readonly<Record<Name, Kind<Facts>>>
): Kinds<Known<Facts>, Name> => {
  const entries = Object.entries<Kind<Facts>>(table)
  const kinds = entries.map(([kind]) => kind as Name)
  const find = (known: Known<Facts>): ReadonlyArray<Finding<Name>> => {
    const stage = entries.findLastIndex(([, { when }]) => when === undefined || when(known))
    const [kind, found] = [kinds[stage], entries[stage]?.[1]]
    if (kind === undefined || found === undefined) return []
    const { account_id, issuer = null, livemode = true, since = null } = known
    const { action = "", failsDoctor, fix = [""], sentence, severity } = found
    return [
      {
        kind,
        covers: kinds.slice(0, stage),
        severity,
        account: account_id === undefined ? null : { account_id, livemode, issuer },
        since: found.since?.(known) ?? since,
        sentence: typeof sentence === "function" ? sentence(known) : sentence,
        facts: known,
        action,
        fix,
        failsDoctor: failsDoctor?.(known) ?? true,
        ...about(known)
      }
    ]
  }
  return { kinds, find }
}

const dayMs = 86_400_000
const daysBefore = (days: number, end: Date) => new Date(end.getTime() - days * dayMs)

const ofEndpoint = ({ id }: FindingFacts["endpoint"]) => ({ subject: id, details: { endpoint_id: id } })

export const failingEndpoint = kindsOf(ofEndpoint, {
  endpoint_failing: {
    severity: "warning",
    sentence: [
      "Webhook endpoint {name}{of} has accepted no delivery since {since}.",
      "El destino {name} no recibe webhooks desde el {since}."
    ],
    action:
      "Contact its owner: the endpoint's page in the portal shows the result of each attempt. To redeliver the failed events, use the button there or POST /v1/webhook-endpoints/{id}/recover.",
    fix: [
      "Make it respond with 2xx, then redeliver the failed events: POST /v1/webhook-endpoints/{id}/recover.",
      "Corrija el programa que recibe los webhooks y luego recupere los eventos fallidos en la página del destino."
    ]
  }
})

export const fullEndpoint = kindsOf(ofEndpoint, {
  endpoint_full: {
    severity: "warning",
    sentence: [
      "The delivery queue of webhook endpoint {name}{of} is full: since {since} later deliveries are not attempted.",
      "La cola de entregas del destino {name} está llena desde el {since}."
    ],
    action:
      "Ask its owner to make it respond faster, or to raise max_in_flight. To send the deliveries that were not attempted, use POST /v1/webhook-endpoints/{id}/recover.",
    fix: [
      "Make it respond faster or raise max_in_flight, then send the later deliveries: POST /v1/webhook-endpoints/{id}/recover.",
      "Haga que el programa responda más rápido y luego recupere los eventos en la página del destino."
    ]
  }
})

const renewal: Sentence = [
  "Get the next certificate and upload it: POST /v1/account/certificate.",
  "Solicite el certificado siguiente a su entidad de certificación y súbalo en Ajustes, Certificado."
]
const expires: Pick<Kind<FindingFacts["certificate"]>, "sentence" | "action" | "fix"> = {
  fix: renewal,
  sentence: ["The signing certificate{of} expires on {not_after}.", "El certificado de firma vence el {not_after}."],
  action:
    "Ask the account's owner to get its next certificate, and to upload it before that day: POST /v1/account/certificate."
}

export const endingCertificate = kindsOf(
  ({ id, not_after }: FindingFacts["certificate"]) => ({
    subject: id,
    details: { certificate_id: id, not_after: not_after.toISOString() }
  }),
  {
    certificate_expiring: {
      severity: "warning",
      when: ({ days }) => days <= endsWithinDays,
      since: ({ not_after }) => daysBefore(endsWithinDays, not_after),
      ...expires
    },
    certificate_expiring_soon: {
      severity: "critical",
      when: ({ days }) => days <= endsSoonWithinDays,
      since: ({ not_after }) => daysBefore(endsSoonWithinDays, not_after),
      ...expires
    },
    certificate_expired: {
      severity: "critical",
      when: ({ days }) => days < 0,
      since: ({ not_after }) => not_after,
      sentence: [
        "The signing certificate{of} expired on {not_after}. No live document of the account can be signed.",
        "El certificado de firma venció el {not_after}. No se puede firmar ningún documento de la cuenta."
      ],
      action: "Get its next certificate and upload it: POST /v1/account/certificate. Then retry the failed documents.",
      fix: renewal
    }
  }
)

const ofRange = ({ document_type, id, left, prefix, size, valid_to }: FindingFacts["range"]) => ({
  subject: id,
  action:
    "Ask the authority for another range and register it: POST /v1/resolutions. To deactivate a range that is no longer used: PATCH /v1/resolutions/{id} with is_active false.",
  fix: [
    "Ask the authority for another range and register it: POST /v1/resolutions.",
    "Solicite otro rango de numeración a la DIAN y regístrelo en Ajustes, Rangos de numeración."
  ] as const,
  details: { range_id: id, document_type, prefix, numbers_left: left, size, valid_to }
})

export const usedRange = kindsOf(ofRange, {
  range_filling: {
    severity: "warning",
    when: ({ left, size }) => (size - left) * 10 >= size * usedTenths,
    failsDoctor: ({ left, size }) => left < scarceNumbers || left * 100 < size,
    sentence: ({ left }) =>
      left === 1
        ? ["{name}{of} has 1 number of {size} left.", "{name}: queda 1 número de {size}."]
        : ["{name}{of} has {left} numbers of {size} left.", "{name}: quedan {left} números de {size}."]
  },
  range_exhausted: {
    severity: "critical",
    when: ({ left }) => left === 0,
    sentence: ["{name}{of} has no number left.", "{name}: ya no quedan números."]
  }
})

const lastDay = ({ valid_to }: FindingFacts["range"]) => new Date(`${valid_to}T00:00:00Z`)

export const endingRange = kindsOf(ofRange, {
  range_expiring: {
    severity: "warning",
    when: ({ days }) => days <= endsWithinDays,
    since: (range) => daysBefore(endsWithinDays, lastDay(range)),
    sentence: ["{name}{of} is valid until {valid_to}.", "{name} está vigente hasta el {valid_to}."]
  },
  range_expired: {
    severity: "critical",
    when: ({ days }) => days < 0,
    since: lastDay,
    sentence: ["{name}{of} expired on {valid_to}.", "{name}: venció el {valid_to}."]
  }
})

export const unreachableAuthority = kindsOf(
  ({ trouble }: FindingFacts["authority"]) => ({
    subject: "live",
    action: authorityTroubles[trouble].remedy,
    details: { trouble }
  }),
  {
    authority_unreachable: {
      severity: "critical",
      sentence: ({ trouble }) => [
        `No call of the live authority has succeeded since {since}. ${authorityTroubles[trouble].what}`
      ]
    }
  }
)

const untransmitted = ({ count, deadline, left_ms }: FindingFacts["contingency"]): Sentence => {
  const isOver = left_ms !== null && left_ms < 0
  const [clock, reloj] =
    deadline === null
      ? ["its 48 hours begin when the authority is back", "sus 48 horas empiezan cuando vuelva la DIAN"]
      : isOver
        ? ["it had to be with the authority by {deadline}", "debía llegar a la DIAN antes del {deadline}"]
        : ["it must be with the authority by {deadline}", "debe llegar a la DIAN antes del {deadline}"]
  return count === 1
    ? [
        `1 document issued in contingency is not transmitted, the first since {since}; ${clock}.`,
        `1 documento emitido en contingencia no se ha transmitido desde el {since}; ${reloj}.`
      ]
    : [
        `{count} documents issued in contingency are not transmitted, the first since {since}; ${clock}.`,
        `{count} documentos emitidos en contingencia no se han transmitido, el primero desde el {since}; ${reloj}.`
      ]
}
const untransmittedSoon: Pick<Kind<FindingFacts["contingency"]>, "severity" | "sentence" | "action"> = {
  severity: "critical",
  sentence: untransmitted,
  action:
    "Find out why they are not transmitted: see npx folio doctor, authority in GET /health/ready, and waiting in GET /v1/invoices/{id}. Folio retries them without end."
}

export const inContingency = kindsOf(
  ({ account_ids, count, deadline }: FindingFacts["contingency"]) => ({
    subject: "live",
    details: { documents: count, account_ids, transmit_before: deadline?.toISOString() ?? null }
  }),
  {
    contingency_entered: {
      severity: "warning",
      sentence: untransmitted,
      action:
        "While the authority is down, there is nothing to do: they are transmitted by themselves once it is back. Look for its notice, and see authority in GET /health/ready."
    },
    contingency_deadline: {
      when: ({ left_ms }) => left_ms !== null && left_ms <= deadlineHours * 3_600_000,
      ...untransmittedSoon
    },
    contingency_overdue: { when: ({ left_ms }) => left_ms !== null && left_ms < 0, ...untransmittedSoon }
  }
)

export const failedDocuments = kindsOf(
  ({ account_id, count, ids, livemode }: FindingFacts["failed"] & Partial<FindingOwner>) => ({
    subject: `${account_id} ${livemode ? "live" : "test"}`,
    details: { documents: count, document_ids: ids }
  }),
  {
    documents_failed: {
      severity: "critical",
      sentence: ({ count }) => [
        `${count === 1 ? "1 document" : "{count} documents"}{of} failed because of an error of the service, the first on {since}.`
      ],
      action:
        "Look for their ids in the log, which shows the error. Once it is fixed, retry each: POST /v1/invoices/{id}/retry (or credit-notes, debit-notes)."
    }
  }
)

export const heldRange = kindsOf(
  ({ id, prefix }: FindingFacts["heldRange"]) => ({ subject: id, details: { range_id: id, prefix } }),
  {
    numbering_held: {
      severity: "critical",
      sentence: ["{name}{of} has given no number since the database was restored."],
      action:
        "Find out the authority's last number of this range, and run: folio resume --last PREFIX123. To list the paused ranges, run folio resume."
    }
  }
)

export const heldEvents = kindsOf<FindingFacts["transaction"], "events_held">(() => ({ subject: "all", details: {} }), {
  events_held: {
    severity: "warning",
    sentence: [
      "GET /v1/events shows no event since {since}: a transaction of the database that began before is open or prepared."
    ],
    action:
      "Find the transaction: select * from pg_prepared_xacts, and select pid, xact_start, query from pg_stat_activity where backend_xid is not null order by xact_start. End it: rollback prepared 'GID', or select pg_terminate_backend(PID)."
  }
})

/** The end of an account's test set. Only notices report it, because the operator has nothing to do. */
export const endedTestSet = kindsOf(({ id }: EndedTestSet) => ({ subject: id, details: {} }), {
  enablement_passed: {
    severity: "warning",
    sentence: ["The authority has accepted the test set.", "La DIAN aceptó el set de pruebas."],
    fix: [
      "Import the granted numbering ranges: POST /v1/resolutions/import.",
      "Importe los rangos de numeración autorizados en Ajustes, Rangos de numeración."
    ]
  },
  enablement_failed: {
    severity: "critical",
    when: ({ status }) => status === "failed",
    sentence: ["The authority's test set has failed.", "El set de pruebas de la DIAN falló."],
    fix: [
      "GET /v1/account/enablement shows the reason. Fix it, then start the test set again: POST /v1/account/enablement.",
      "Consulte la causa en Ajustes, Habilitación. Corríjala y reinicie el set de pruebas."
    ]
  }
})

/** A test set with an outcome, of an account without a range for invoices. */
export interface EndedTestSet {
  readonly id: string
  readonly status: "passed" | "failed"
}

/** The parts of a finding's sentence in one language, the facts written by `write`. */
export const partsOf = <Part>(
  { facts, sentence: [en, es = en] }: Pick<Finding, "facts" | "sentence">,
  language: "en" | "es",
  write: (name: string, fact: unknown) => Part
): ReadonlyArray<Part | string> =>
  (language === "es" ? es : en).split(/\{(\w+)\}/).map((part, index) => {
    if (index % 2 === 0) return part
    const fact: unknown = Object(facts)[part]
    return write(part, Array.isArray(fact) ? fact[language === "es" ? 1 : 0] : fact)
  })
