import { Clock, Effect, Exit, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Path from "node:path"
import type { IncidentKind } from "../../../schemas/Incident.ts"
import { ServiceInfo } from "../../runtime/ServiceInfo.ts"
import { DataDir, isUntouched } from "../../runtime/process/DataFiles.ts"
import * as DataFiles from "../../runtime/process/DataFiles.ts"
import { certificateFile, existingCertificate } from "../../service/SandboxCertificateFile.ts"
import * as EmbeddedPostgres from "../../runtime/postgres/EmbeddedPostgres.ts"
import * as Postgres from "../../runtime/postgres/Postgres.ts"
import { type Finding, finding, good, inspect, noted, wrong } from "../../runtime/postgres/PostgresInspection.ts"
import { unusable, where } from "../../runtime/postgres/PostgresAddress.ts"
import { existingSecretKey } from "../../runtime/process/SealingKey.ts"
import { smtpSettings } from "../../invoices/mail/SmtpSettings.ts"
import { endsWithinDays } from "../../documents/rules/parties/ResolutionRules.ts"
import * as Findings from "../../operations/rules/Findings.ts"
import { Incidents } from "../../operations/store/Incidents.ts"
import { Backlog } from "../../operations/store/Backlog.ts"
import * as Inspection from "../../operations/store/Inspection.ts"
import { Secrets } from "../../database/Secrets.ts"
import { json, say } from "./Answers.ts"
import { alertSettings, alertFindings, incidentStore } from "./IncidentsCli.ts"
import { authorityReached, authorityFindings } from "./AuthorityCheck.ts"
import { ReportedFailure } from "../../service/Run.ts"
import { edge } from "./Surroundings.ts"

const waitsMaxSeconds = 300
const backupMaxHours = 48

const secrets = Effect.gen(function* () {
  const key = yield* existingSecretKey
  if (key._tag === "Exposed") {
    return wrong("secrets", `Other users can read ${key.path}`, `Run: chmod 600 ${key.path}`)
  }
  if (key._tag === "Damaged") {
    const advice = "Restore it from its backup, or set FOLIO_KEY to its old value."
    return wrong("secrets", `${key.path} does not hold 32 bytes in base64`, advice)
  }
  const stored = (yield* Inspection.storedSecrets).length
  if (key._tag === "None") {
    const message =
      stored === 0 ? "There is no key yet, and no encrypted secret" : "The key that encrypted the secrets is missing"
    return finding("secrets", stored === 0, message, "Set FOLIO_KEY, or restore the file secret-key in DATA_DIR.")
  }
  const { looked, previous, unopened } = yield* Inspection.checkedSecrets.pipe(
    Effect.provide(Secrets.layerOf(key.key, key.previous))
  )
  if (unopened === 0 && previous > 0) {
    return noted(
      "secrets",
      `A change of the key is not finished: only FOLIO_KEY_PREVIOUS decrypts ${previous} of ${looked} checked secrets`,
      "When every process has the new FOLIO_KEY, run: npx folio rekey."
    )
  }
  if (unopened === 0 && key.previous !== undefined) {
    return noted(
      "secrets",
      `FOLIO_KEY decrypts the stored secrets (${looked}), and FOLIO_KEY_PREVIOUS none of them`,
      "Unset FOLIO_KEY_PREVIOUS seven days after the change, when the links in past events have expired."
    )
  }
  return finding(
    "secrets",
    unopened === 0,
    unopened === 0
      ? `The key decrypts the stored secrets (${looked})`
      : `The key does not decrypt ${unopened} of ${looked} secrets`,
    "Set FOLIO_KEY to the key that encrypted the secrets, or restore the file secret-key in DATA_DIR. During a change of the key, also set FOLIO_KEY_PREVIOUS."
  )
})

const certificate = Effect.gen(function* () {
  const key = yield* existingSecretKey
  // The secrets' check reports a key that is missing or wrong.
  const sealed = good("certificate", "The sandbox certificate is encrypted: not checked without the right key")
  if (key._tag !== "Key") return sealed
  const read = yield* existingCertificate.pipe(Effect.provide(Secrets.layerOf(key.key, key.previous)), Effect.exit)
  if (Exit.isFailure(read)) return sealed
  const found = read.value
  if (found === undefined) return good("certificate", "None yet: the next start creates the sandbox certificate")
  const now = yield* Clock.currentTimeMillis
  const days = Math.floor((found.notAfter.getTime() - now) / 86_400_000)
  const until = found.notAfter.toISOString().slice(0, 10)
  return finding(
    "certificate",
    days > endsWithinDays,
    days < 0 ? `${found.subject} expired on ${until}` : `${found.subject} is valid until ${until}`,
    `Put a new certificate in ${Path.join(yield* DataDir, certificateFile)} and restart. The sandbox replaces an expired certificate with a self-signed one.`
  )
})

// An unreadable file becomes a finding, so that the other checks still run. The error's message names the fix.
const legible = <E, R>(check: string, effect: Effect.Effect<Finding, E | DataFiles.DataDirError, R>) =>
  Effect.catchIf(
    effect,
    (error) => error instanceof DataFiles.DataDirError,
    ({ message }) => Effect.succeed(wrong(check, message, "The service cannot start until this is fixed."))
  )

const mail = Effect.map(smtpSettings, (server) =>
  server === undefined
    ? noted("mail", "SMTP_URL is not set: Folio emails no live documents", "Set SMTP_URL and MAIL_FROM.")
    : good("mail", `Folio emails live documents from ${server.from}`)
)

const address = Effect.map(ServiceInfo, ({ baseUrl }) =>
  baseUrl.startsWith("https:")
    ? good("address", `Links and cookies are for ${baseUrl}`)
    : noted(
        "address",
        `BASE_URL is ${baseUrl}: keys and documents cross the network without encryption, and the portal's cookies lack Secure`,
        "Put a proxy with TLS in front of the service, and set BASE_URL to the https address that browsers use."
      )
)

// Findings on settings alone. A sandbox needs none of these settings.
const ofSettings = Effect.map(Effect.all([mail, address, alertSettings]), (all) => all.flat())

const backedUp = Effect.map(Inspection.lastBackup, (last) => {
  const advice =
    "Run daily, to another disk: npx folio backup FILE. An archive of PostgreSQL's write-ahead log also counts."
  if (Option.isNone(last))
    return noted("backup", "There is no backup, and PostgreSQL archives no write-ahead log", advice)
  const { hours, taken_at } = last.value
  const message = `The last backup is of ${taken_at.toISOString().slice(0, 16)}Z`
  return hours < backupMaxHours ? good("backup", message) : noted("backup", message, advice)
})

/** Checks for findings about accounts and the service, each with its message if there are none. */
const findingChecks: ReadonlyArray<readonly [check: string, kinds: ReadonlyArray<IncidentKind>, well: string]> = [
  ["live certs", Findings.endingCertificate.kinds, "The certificates of live accounts are valid"],
  ["ranges", [...Findings.usedRange.kinds, ...Findings.endingRange.kinds], "All ranges in use have numbers left"],
  ["numbering", Findings.heldRange.kinds, "No range is paused after a restore"],
  ["events", Findings.heldEvents.kinds, "No open transaction holds back events"],
  ["endpoints", Findings.failingEndpoint.kinds, "No webhook endpoint fails"]
]
const shownMax = 100

const findingsOfChecks = Effect.gen(function* () {
  const { sources } = yield* Incidents
  return yield* Effect.forEach(
    findingChecks,
    Effect.fnUntraced(function* ([check, kinds, well]) {
      const looked = yield* Effect.forEach(
        sources.filter((source) => source.kinds.some((kind) => kinds.includes(kind))),
        ({ search }) => search
      )
      const found = looked.flatMap(({ causes }) => causes.filter(({ failsDoctor }) => failsDoctor)).slice(0, shownMax)
      const actions = new Set(found.map(({ action }) => action))
      return finding(
        check,
        found.length === 0,
        found.length === 0 ? well : found.map(({ summary }) => summary).join(" "),
        [...actions].join(" ")
      )
    })
  )
}).pipe(Effect.provide(incidentStore))

const sharedNumbers = Effect.map(Inspection.meetingRanges, (all) =>
  finding(
    "numbers",
    all.length === 0,
    all.length === 0
      ? "No two ranges can give the same full number"
      : all.map(({ one, other }) => `${one.id} and ${other.id} can give the same full number`).join("; "),
    'Deactivate one of the two ranges: PATCH /v1/resolutions/{id} with "is_active": false.'
  )
)

const backlog = Effect.gen(function* () {
  const { waiting } = yield* Backlog
  const { deliveries, invoices, oldest_delivery, oldest_invoice } = yield* waiting
  const stuck = yield* Inspection.stuckInvoices
  const count = Object.values(invoices).reduce((sum, one) => sum + one, 0)
  const late = Math.max(oldest_delivery, oldest_invoice) > waitsMaxSeconds
  return [
    finding(
      "backlog",
      !late,
      `${count} invoices are open, the oldest for ${Math.round(oldest_invoice)} s; ${deliveries["due"] ?? 0} deliveries are due, the oldest for ${Math.round(oldest_delivery)} s`,
      "Check in the log and at /metrics that a service runs on this database and reaches the authority."
    ),
    finding(
      "stuck",
      stuck.length === 0,
      stuck.length === 0 ? "No invoice is stuck" : `Failing on every attempt: ${stuck.join(", ")}`,
      "Search the log for their ids: each attempt logs its error."
    )
  ]
}).pipe(Effect.provide(Backlog.layer))

const examine = Effect.gen(function* () {
  const server = yield* Effect.result(Postgres.existingAddress)
  const dataDir = yield* DataDir
  if (server._tag === "Failure") {
    if (isUntouched(dataDir))
      return [good("database", `${dataDir} is empty: the first start creates the database`), ...(yield* ofSettings)]
    const advice = "Start the service, or set DATABASE_URL or DATA_DIR to its database."
    return [wrong("database", server.failure.message, advice)]
  }
  const outside = yield* Effect.result(inspect(server.success))
  if (outside._tag === "Failure") {
    const { message } = unusable(server.success, outside.failure)
    return [wrong("database", message, "The other checks need the database.")]
  }
  const { findings, isEmpty } = outside.success
  const isShared = !("url" in server.success) && EmbeddedPostgres.isSharedUser(dataDir)
  const advice = EmbeddedPostgres.ownUserAdvice(dataDir)
  const before = [
    good("database", `The database at ${where(server.success)} responds`),
    ...(isShared
      ? [
          noted(
            "server user",
            "PostgreSQL runs as a shared system user, and that user's other processes can read the database",
            advice
          )
        ]
      : []),
    ...findings,
    ...(yield* ofSettings)
  ]
  // Read the tables only if they exist, with the migrations and roles of this release.
  if (isEmpty || findings.some(({ check, ok }) => (check === "migrations" || check === "roles") && !ok)) return before
  const inside = yield* Effect.all([
    legible("certificate", certificate),
    legible("secrets", secrets),
    findingsOfChecks,
    authorityFindings,
    sharedNumbers,
    backlog,
    backedUp,
    alertFindings
  ]).pipe(Effect.provide(Postgres.sessionsAt(server.success)), Effect.exit)
  return Exit.isSuccess(inside)
    ? [...before, ...inside.value.flat()]
    : [...before, wrong("tables", "The tables cannot be read", "Read the database server's log.")]
}).pipe(Effect.scoped)

const stateWords = { ok: "ok   ", note: "note ", wrong: "WRONG" } as const

const line = ({ advice, check, message, state }: Finding) => [
  `${stateWords[state]}  ${check.padEnd(11)}  ${message}`,
  ...(advice === undefined ? [] : [`${" ".repeat(20)}-> ${advice}`])
]

export const doctor = Command.make(
  "doctor",
  {
    json,
    production: Flag.Boolean("production").pipe(
      Flag.withDescription("Fail on notes too: alerts, mail, an https address, a recent backup"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* (flags) {
    const release = good("folio", `This is Folio ${(yield* ServiceInfo).version}`)
    const looked = yield* Effect.all([examine, authorityReached], { concurrency: "unbounded" })
    const found = [release, ...looked.flat()]
    const checks = found.map((one) =>
      flags.production && one.state === "note" ? { ...one, state: "wrong" as const, ok: false } : one
    )
    const failed = checks.filter(({ ok }) => !ok).length
    yield* say(flags.json, { ok: failed === 0, checks }, checks.flatMap(line))
    if (failed > 0) return yield* new ReportedFailure({ message: `${failed} checks failed` })
  })
).pipe(
  Command.withDescription(
    "Check the installation, and print each fault with its fix; exits with 1 if there is a fault"
  ),
  Command.provide(edge)
)
