/* Readings of a webhook's signature headers: the correct one, and one for each mistake that receivers make. */
import type { Fault } from "./Faults.ts"

export type Scheme = "svc" | "standard"

/**
 * A reading of the headers: the text that was signed before the body, and the signatures, one of which must be right.
 */
export interface Reading {
  readonly scheme: Scheme
  readonly seconds: number
  readonly before: string
  readonly signatures: ReadonlyArray<Uint8Array<ArrayBuffer>>
  readonly faults: ReadonlyArray<Fault>
}

interface Readings {
  readonly readings: ReadonlyArray<Reading>
  /** The faults of headers that have no reading, or no correct one. */
  readonly faults: ReadonlyArray<Fault>
}

// Each signature costs a hash of the body. A sender has one signature for each of its secrets.
const signaturesMax = 8

const fromHex = (text: string) =>
  Uint8Array.from({ length: text.length / 2 }, (_, index) => Number.parseInt(text.slice(2 * index, 2 * index + 2), 16))

const isSvc = (value: string) => /(^|[,\s])(t|v1)=/.test(value)
const isStandard = (value: string) => /(^|\s)v1,/.test(value)

const unquoted = (value: string): string =>
  value
    .trim()
    .replace(/^(["'`])(.*)\1$/su, "$2")
    .replace(/^(svc-signature|webhook-signature)\s*:\s*/i, "")
    .trim()

const hexOf = (text: string): { readonly bytes?: Uint8Array<ArrayBuffer>; readonly fault?: Fault } => {
  if (/^[0-9a-f]{64}$/.test(text)) return { bytes: fromHex(text) }
  if (/^[0-9a-fA-F]{64}$/.test(text)) return { bytes: fromHex(text.toLowerCase()), fault: "signature_upper_case" }
  return { fault: /^[0-9a-fA-F]*$/.test(text) ? "signature_length" : "signature_not_hexadecimal" }
}

const base64Of = (text: string): { readonly bytes?: Uint8Array<ArrayBuffer>; readonly fault?: Fault } => {
  const usual = text.replaceAll("-", "+").replaceAll("_", "/")
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(usual)) return { fault: "signature_not_base64" }
  const digits = usual.replace(/=+$/, "")
  if (digits.length !== 43) return { fault: "signature_length" }
  const bytes = Uint8Array.from(atob(`${digits}=`), (one) => one.charCodeAt(0))
  return text === `${digits}=`
    ? { bytes }
    : { bytes, fault: usual === text ? "signature_length" : "signature_not_base64" }
}

/** The possible texts of the signed time, each with the faults that it implies. */
const timesOf = (time: string): ReadonlyArray<{ readonly time: string; readonly faults: ReadonlyArray<Fault> }> => {
  if (/^\d{13}$/.test(time)) {
    const faults: ReadonlyArray<Fault> = ["time_milliseconds"]
    return [
      { time: time.slice(0, -3), faults },
      { time, faults }
    ]
  }
  return /^\d{1,12}$/.test(time) ? [{ time, faults: [] }] : []
}

const timeFault = (time: string): Fault => (/^\d{13}$/.test(time) ? "time_milliseconds" : "time_malformed")

type Decoded = ReturnType<typeof hexOf>

const built = (
  scheme: Scheme,
  time: string,
  beforeOf: (time: string) => string,
  decoded: ReadonlyArray<Decoded>,
  before: ReadonlyArray<Fault>
): Readings => {
  const signatures = decoded.slice(0, signaturesMax).flatMap(({ bytes }) => (bytes === undefined ? [] : [bytes]))
  const ofSignatures = decoded.flatMap(({ fault }) => (fault === undefined ? [] : [fault]))
  const times = timesOf(time)
  const ofTime = times.some(({ faults }) => faults.length === 0) ? [] : [timeFault(time)]
  return {
    readings: times.map((one) => ({
      scheme,
      seconds: Number(one.time.length === 13 ? one.time.slice(0, -3) : one.time),
      before: beforeOf(one.time),
      signatures,
      faults: [...before, ...one.faults, ...ofSignatures]
    })),
    faults: [...before, ...ofTime, ...ofSignatures]
  }
}

const svcReadings = (value: string, before: ReadonlyArray<Fault>): Readings => {
  const fields = value.split(",").map((field) => field.trim())
  const times = fields.filter((field) => field.startsWith("t=")).map((field) => field.slice(2))
  const given = fields.filter((field) => field.startsWith("v1=")).map((field) => field.slice(3))
  const [time] = times
  if (time === undefined || given.length === 0) {
    const missing: ReadonlyArray<Fault> = [
      ...(time === undefined ? (["time_missing"] as const) : []),
      ...(given.length === 0 ? (["signature_missing"] as const) : [])
    ]
    return { readings: [], faults: [...before, ...missing] }
  }
  const faults: ReadonlyArray<Fault> = times.length > 1 ? [...before, "time_malformed"] : before
  return built("svc", time, (text) => `${text}.`, given.map(hexOf), faults)
}

interface Parts {
  readonly id: string | undefined
  readonly time: string | undefined
  /** The id of the event in the body, which is the signed id. */
  readonly eventId: string | null
}

const standardReadings = (value: string, { eventId, id, time }: Parts, before: ReadonlyArray<Fault>): Readings => {
  const given = value.split(/\s+/).filter((part) => part.startsWith("v1,"))
  if (given.length === 0) return { readings: [], faults: [...before, "signature_missing"] }
  if (time === undefined) return { readings: [], faults: [...before, "header_incomplete"] }
  const decoded = given.map((part) => base64Of(part.slice("v1,".length)))
  const withId = (one: string, faults: ReadonlyArray<Fault>) =>
    built("standard", time.trim(), (text) => `${one}.${text}.`, decoded, faults)
  const asGiven =
    id === undefined ? { readings: [], faults: [...before, "header_incomplete" as const] } : withId(id, before)
  if (eventId === null || eventId === id) return asGiven
  const signed = withId(eventId, [...before, id === undefined ? "header_incomplete" : "webhook_id"])
  return { readings: [...asGiven.readings, ...signed.readings], faults: asGiven.faults }
}

/** All readings of the headers. `eventId` is the id of the event in the body. */
export const readingsOf = (
  headers: ReadonlyArray<readonly [name: string, value: string]>,
  eventId: string | null
): Readings => {
  const named = (name: string) => headers.find(([one]) => one.trim().toLowerCase() === name)?.[1]
  const parts = { id: named("webhook-id"), time: named("webhook-timestamp"), eventId }
  const read = (value: string, wanted: Scheme | null): Readings => {
    const bare = unquoted(value)
    const before: ReadonlyArray<Fault> = bare === value.trim() ? [] : ["header_quoted"]
    const given: Scheme | null = isSvc(bare) ? "svc" : isStandard(bare) ? "standard" : null
    const scheme = given ?? wanted
    const faults: ReadonlyArray<Fault> =
      wanted === null
        ? [...before, "header_name"]
        : given !== null && given !== wanted
          ? [...before, "header_scheme"]
          : before
    return scheme === "standard" ? standardReadings(bare, parts, faults) : svcReadings(bare, faults)
  }
  const [svc, standard] = [named("svc-signature"), named("webhook-signature")]
  const found = [
    ...(svc === undefined ? [] : [read(svc, "svc")]),
    ...(standard === undefined ? [] : [read(standard, "standard")])
  ]
  // The form of a signature identifies it in a header with another name.
  const elsewhere = headers.filter(([, value]) =>
    /(^|[\s"'])(t=\d+,v1=|v1,[\w+/-]{40,}|v1=[0-9a-fA-F]{40,})/.test(value)
  )
  const all = found.length > 0 ? found : elsewhere.map(([, value]) => read(value, null))
  return {
    readings: all.flatMap(({ readings }) => readings),
    faults: all.length === 0 ? ["header_missing"] : all.flatMap(({ faults }) => faults)
  }
}
