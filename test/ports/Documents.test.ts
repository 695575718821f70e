import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { NationalProfile, Unsignable } from "../../src/documents/NationalProfile.ts"
import { makeSelfSigned, SandboxCertificate, SigningUnavailable } from "../../src/documents/signature/Certificate.ts"
import { SigningKeys, SigningRefused } from "../../src/documents/signature/SigningKeys.ts"
import { brokenCallsMax } from "../../src/invoices/NextStep.ts"
import { Authority, AuthorityRefusal, AuthorityUnavailable } from "../../src/invoices/authority/Authority.ts"
import { alone, commandsOf, invoiceOf, invoiceOwner, waitOf } from "../support/apps/ActorsAlone.ts"
import { accepted, rejected } from "../support/apps/Fakes.ts"
import { addCustomer, addNumbered, become } from "../support/apps/MemoryRows.ts"
import { patiently } from "../support/apps/Until.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"
import { breakable, breaking, faultOf, installed, plainFaultOf, release } from "./Faults.ts"
import { rangeId } from "../support/apps/Accounts.ts"
import { giveCertificate } from "../support/authority/LiveAccounts.ts"
import { authority, certificate, type Outcome, profile, signingKeys } from "./PortTable.ts"

const failures = {
  Unsignable: new Unsignable({ code: "no_software\u0000".repeat(100), message: "None\u0000".repeat(1_000) }),
  SigningUnavailable: new SigningUnavailable({ message: "401\u0000".repeat(1_000) }),
  SigningRefused: new SigningRefused({ message: "pkcs12 holds no key." }),
  AuthorityUnavailable: new AuthorityUnavailable({ message: "503" }),
  AuthorityRefusal: new AuthorityRefusal({ message: "unknown\u0000sender".repeat(100) })
}
const alike = { rule: "FAD06", severity: "rejection", message: "CUFE", path: null, hint: null }
const noVerdicts = [
  undefined,
  {},
  "accepted",
  { ...accepted, accepted: "yes" },
  { ...rejected, errors: null },
  { ...rejected, errors: { 0: alike } },
  { ...rejected, errors: [alike, null] },
  { ...accepted, notifications: [{ ...alike, message: undefined }] }
]
const noSignatures = [undefined, null, {}, "signed", new Uint8Array(0), new Uint8Array(256)]
type Method = "submit" | "verdict" | "sign" | "signer" | "profile's sign" | "profile's code" | "profile's localDate"

const cases = [
  ...Object.entries(authority.submit).map(([fault, outcome]) => ["submit", fault, outcome] as const),
  ...Object.entries(authority.verdict).map(([fault, outcome]) => ["verdict", fault, outcome] as const),
  ["submit", "AuthorityUnavailable of_document", "asked again alone"],
  ["submit", "AuthorityUnavailable connection_refused", "sent later"],
  ...Object.entries(certificate.sign).map(([fault, outcome]) => ["sign", fault, outcome] as const),
  ...Object.entries(signingKeys.signer).map(([fault, outcome]) => ["signer", fault, outcome] as const),
  ...Object.entries(profile.sign).map(([fault, outcome]) => ["profile's sign", fault, outcome] as const),
  ...Object.entries(profile.code).map(([fault, outcome]) => ["profile's code", fault, outcome] as const),
  ...Object.keys(profile.localDate).map((fault) => ["profile's localDate", fault, "signed five times"] as const)
] as ReadonlyArray<readonly [Method, string, Outcome]>

const isPlain = (method: Method) => method === "profile's code" || method === "profile's localDate"

/** The time that the service waits for a method that hangs. */
const waits = {
  submit: 60_000,
  verdict: 60_000,
  sign: 15_000,
  signer: 15_000,
  "profile's sign": 0,
  "profile's code": 0,
  "profile's localDate": 0
}

// Creating a key takes longer than most tests.
const pem = Effect.runSync(Effect.cached(makeSelfSigned("Tienda", new Date(0))))

/** Moves a document to the live mode of its account, which has a certificate. */
const madeLive = Effect.fnUntraced(function* (test: DocumentKey) {
  const document = { ...test, livemode: true }
  yield* become(test.id, { livemode: true, resolution_id: rangeId(document) })
  yield* giveCertificate(document.account_id, yield* pem)
  return document
})

/** A document that is about to need the broken method, and its actor. */
const documents = Effect.fnUntraced(function* (method: Method, fault: string) {
  const switched = breakable()
  const ofDocument = new AuthorityUnavailable({ message: "503", of_document: true })
  const connectionRefused = new AuthorityUnavailable({ message: "refused", trouble: "connection_refused" })
  const all = {
    ...failures,
    "AuthorityUnavailable of_document": ofDocument,
    "AuthorityUnavailable connection_refused": connectionRefused
  }
  const broken = isPlain(method)
    ? plainFaultOf(fault, all)
    : faultOf(fault, all, method === "sign" || method === "signer" ? noSignatures : noVerdicts)
  const own = yield* Authority
  if (method === "profile's sign") yield* installed(yield* NationalProfile, "sign", switched)
  if (method === "profile's code") yield* installed(yield* NationalProfile, "code", switched)
  if (method === "profile's localDate") yield* installed(yield* NationalProfile, "localDate", switched)
  if (method === "signer") yield* installed(yield* SigningKeys, "signer", switched)
  if (method === "sign") yield* installed(yield* SandboxCertificate, "sign", switched)
  // The first answer is lost if the method under test is only called afterwards.
  const lost = breakable()
  const asked =
    method === "verdict" ? breaking(own, "submit", lost) : method === "submit" ? breaking(own, "submit", switched) : own
  const judging = method === "verdict" ? breaking(asked, "verdict", switched) : asked
  const proceed = yield* Effect.provideService(invoiceOwner, Authority, judging)
  /** Calls the actor, and advances the clock by its time limit for a port that hangs. */
  const attempt = Effect.fnUntraced(function* (document: DocumentKey) {
    if (switched.fault === null || !fault.startsWith("hangs")) return yield* patiently(proceed(document))
    const before = switched.calls
    const fiber = yield* Effect.forkScoped(proceed(document), { startImmediately: true })
    yield* patiently(Effect.repeat(Effect.yieldNow, { until: () => switched.calls > before }))
    yield* TestClock.adjust(waits[method])
    yield* patiently(Fiber.join(fiber))
  })
  const added = Effect.gen(function* () {
    const numbered = yield* addNumbered(yield* addCustomer())
    const document = method === "signer" ? yield* madeLive(numbered) : numbered
    // Folio asks for the code only if it did not sign the document on the day of its number.
    if (method === "profile's code") yield* TestClock.adjust("1 day")
    if (method !== "verdict") return document
    lost.fault = () => Effect.fail(failures.AuthorityUnavailable)
    yield* proceed(document)
    lost.fault = null
    return document
  })
  const breaks = () => (switched.fault = broken)
  const mends = () => (switched.fault = null)
  return { added, attempt, breaks, mends, proceed, switched }
})

type Documents = Effect.Success<ReturnType<typeof documents>>

const failsWith = Effect.fnUntraced(function* (document: DocumentKey, code: string) {
  const row = yield* invoiceOf(document)
  assert.deepInclude(row, { state: "failed", next_action_at: null, full_number: "SETP990000000" })
  assert.deepInclude(Object(row.failure), { code, retryable: true })
  assert.isBelow(JSON.stringify(row.failure).length, 1_000)
  assert.isBelow(row.version, 30)
})

/** Asserts the same number, one submission and one outcome, whatever happened before. */
const ends = Effect.fnUntraced(function* (document: DocumentKey) {
  const row = yield* invoiceOf(document)
  assert.deepInclude(row, { state: "accepted_by_authority", next_action_at: null, full_number: "SETP990000000" })
  const commands = yield* commandsOf(document)
  assert.deepStrictEqual(
    commands.filter((command) => command !== "Redate"),
    ["Number", "Sign", "Submit", "Accept"]
  )
})

/**
 * Breaks the port this many times in this state, with longer waits each time; the document proceeds after the repair.
 */
const waitsAndProceeds = Effect.fnUntraced(function* (
  { attempt, breaks, mends }: Documents,
  document: DocumentKey,
  state: string,
  times: number
) {
  let before = 0
  breaks()
  for (let time = 0; time < times; time++) {
    yield* attempt(document)
    const row = yield* invoiceOf(document)
    assert.strictEqual(row.state, state)
    assert.isNotNull(row.next_action_at)
    const wait = yield* waitOf(document)
    assert.isTrue(wait > before && wait <= 330_000, `waits ${wait} ms after ${before} ms`)
    before = wait
  }
  mends()
  yield* attempt(document)
  yield* ends(document)
})

type Needed = Effect.Services<ReturnType<Documents["attempt"]>> | MemoryTables

const endings: Partial<
  Record<Outcome, (all: Documents, document: DocumentKey) => Effect.Effect<void, unknown, Needed>>
> = {
  "asked again": (all, document) => waitsAndProceeds(all, document, "submitted", 3),
  "asked again alone": Effect.fnUntraced(function* ({ attempt, breaks }, document) {
    breaks()
    yield* attempt(document)
    assert.strictEqual((yield* invoiceOf(document)).state, "submitted")
    yield* TestClock.adjust("301 seconds")
    yield* attempt(document)
    assert.strictEqual((yield* invoiceOf(document)).state, "submitted")
    assert.strictEqual((yield* MemoryTables).tables.circuits.size, 0)
  }),
  "asked later": (all, document) => waitsAndProceeds(all, document, "submitted", 3),
  "sent later": Effect.fnUntraced(function* ({ attempt, breaks }, document) {
    breaks()
    yield* attempt(document)
    assert.deepInclude(yield* invoiceOf(document), { state: "signed", submitted_at: null })
    yield* TestClock.adjust("331 seconds")
    yield* attempt(document)
    assert.deepInclude(yield* invoiceOf(document), { state: "accepted_contingency", of_type_04: true })
  }),
  refused: Effect.fnUntraced(function* ({ attempt, breaks }, document) {
    breaks()
    yield* attempt(document)
    yield* failsWith(document, "authority_refused")
    assert.notInclude(JSON.stringify((yield* invoiceOf(document)).failure), "\\u0000")
  }),
  "failed after 12": Effect.fnUntraced(function* (all, document) {
    const { attempt, breaks, mends } = all
    breaks()
    for (let time = 1; time < brokenCallsMax; time++) yield* attempt(document)
    assert.strictEqual((yield* invoiceOf(document)).state, "submitted")
    yield* attempt(document)
    yield* failsWith(document, "internal_error")
    mends()
  }),
  unsignable: Effect.fnUntraced(function* ({ attempt, breaks, mends }, document) {
    breaks()
    yield* attempt(document)
    const { failure, full_number, state } = yield* invoiceOf(document)
    assert.deepStrictEqual([state, full_number, failure?.retryable], ["failed", "SETP990000000", true])
    assert.strictEqual(failure?.code, "no_software".repeat(10).slice(0, failure?.code.length))
    assert.notInclude(JSON.stringify(failure), "\\u0000")
    assert.isBelow(JSON.stringify(failure).length, 1_000)
    mends()
  }),
  "waits for its signer": Effect.fnUntraced(function* ({ attempt, breaks, mends }, document) {
    breaks()
    let wait = 0
    for (let time = 0; time < 12; time++) {
      yield* attempt(document)
      const { attempts, failure, full_number, state, waiting } = yield* invoiceOf(document)
      assert.deepStrictEqual([state, full_number, attempts, failure], ["numbered", "SETP990000000", 0, null])
      assert.strictEqual(waiting?.code, "signer_unavailable")
      assert.notInclude(waiting?.message, "\u0000")
      assert.isBelow(waiting?.message.length ?? 0, 1_000)
      wait = yield* waitOf(document)
      assert.isTrue(wait >= 900 && wait <= 330_000, `waits ${wait} ms`)
      yield* TestClock.adjust(wait)
    }
    assert.isAtLeast(wait, 270_000)
    mends()
    yield* attempt(document)
    yield* ends(document)
    assert.isNull((yield* invoiceOf(document)).waiting)
  }),
  "signed five times": Effect.fnUntraced(function* ({ attempt, breaks, mends }, document) {
    breaks()
    for (let time = 1; time < 5; time++) yield* attempt(document)
    assert.strictEqual((yield* invoiceOf(document)).state, "numbered")
    yield* attempt(document)
    yield* failsWith(document, "internal_error")
    mends()
  })
}

/** The wait of a document before its final failure. */
const waiting: Partial<Record<Outcome, readonly [state: string, times: number]>> = {
  "failed after 12": ["submitted", 3],
  "signed five times": ["numbered", 3]
}

const it = itOn(alone)

describe("A document", () => {
  it.effect.each(cases.filter(([, , outcome]) => outcome !== "stuck"))(
    "has the documented outcome when %s %s: %s",
    function* ([method, fault, outcome]) {
      const all = yield* documents(method, fault)
      const ending = endings[outcome]
      assert.isDefined(ending, outcome)
      yield* ending?.(all, yield* all.added) ?? Effect.void
    }
  )

  it.effect.each(cases.filter(([, , outcome]) => waiting[outcome] !== undefined))(
    "waits while %s %s, and proceeds when the port works again",
    function* ([method, fault, outcome]) {
      const all = yield* documents(method, fault)
      const [state, times] = waiting[outcome] ?? ["", 0]
      yield* waitsAndProceeds(all, yield* all.added, state, times)
    }
  )

  // Documents with the same certificate share the call of `signer`, so they wait for it together.
  it.effect.each(cases.filter(([method, fault]) => fault.startsWith("hangs") && method !== "signer"))(
    "proceeds while the %s of another %s",
    function* ([method, fault]) {
      const { added, breaks, mends, proceed, switched } = yield* documents(method, fault)
      const stuck = yield* added
      const well = yield* added
      breaks()
      const held = yield* Effect.forkScoped(proceed(stuck), { startImmediately: true })
      yield* patiently(Effect.repeat(Effect.yieldNow, { until: () => switched.calls > 0 }))
      mends()
      yield* patiently(proceed(well))
      assert.strictEqual((yield* invoiceOf(well)).state, "accepted_by_authority")
      if (method !== "profile's sign") return
      assert.deepInclude(yield* invoiceOf(stuck), { state: "numbered", attempts: 0 })
      if (fault !== "hangs for good") return
      // The actor has no time-out for this call, so it could not end earlier.
      yield* release.open
      yield* patiently(Fiber.join(held))
      yield* release.close
    }
  )
})
