import type { AccountMode } from "../../../../schemas/Account.ts"
import { IncidentId } from "../../../../schemas/Id.ts"
import type { IncidentState } from "../../../../schemas/Incident.ts"
import type { NationalProfile } from "../../../../src/documents/NationalProfile.ts"
import * as Findings from "../../../../src/domain/incidents/Findings.ts"
import { holdDownMs } from "../../../../src/domain/incidents/Incidents.ts"
import {
  Incidents,
  type StoredIncident,
  tellingLeaseSeconds,
  tellingsMax
} from "../../../../src/store/incidents/Incidents.ts"
import { sourceOf } from "../../../../src/store/incidents/Sources.ts"
import { existing, inMemory, type MemoryTables, modeKey, type Tables } from "../MemoryTables.ts"

/* The part of the memory store that knows what goes wrong, and what was told of it. */

const dayMs = 86_400_000
const daysUntil = (time: number, now: number) => Math.floor((time - now) / dayMs)

const issuerOf = ({ accounts }: Tables, account: AccountMode) =>
  accounts.get(modeKey(account))?.issuer?.legal_name ?? null

const owned = <Row extends AccountMode & { readonly id: string }>(tables: Tables, row: Row) => ({
  account_id: existing(tables.accounts, modeKey(row)).account_id,
  livemode: row.livemode,
  id: row.id as string,
  issuer: issuerOf(tables, row)
})

const sourcesIn = ({ call }: MemoryTables["Service"], { localDate }: NationalProfile["Service"]) => {
  const source = <Row>(
    rows: (tables: Tables, now: number) => ReadonlyArray<Row>,
    ...about: ReadonlyArray<Findings.Kinds<Row>>
  ) => sourceOf(call("Incidents.look", rows), ...about)
  // Nothing here was ever restored, and no transaction is old.
  return [
    source(
      (tables, now) =>
        [...tables.endpoints.values()].flatMap((row) =>
          row.is_active && row.failing_since !== null && now - row.failing_since.getTime() > 3_600_000
            ? [{ ...owned(tables, row), since: row.failing_since }]
            : []
        ),
      Findings.failingEndpoint
    ),
    source(
      (tables) =>
        [...tables.endpoints.values()].flatMap((row) =>
          row.full_since === null ? [] : [{ ...owned(tables, row), since: row.full_since }]
        ),
      Findings.fullEndpoint
    ),
    source((tables, now) => {
      const rows = [...tables.certificates.values()]
      return rows
        .filter((row) => !rows.some((one) => one.account_id === row.account_id && one.not_after > row.not_after))
        .map((row) => ({
          ...owned(tables, { ...row, livemode: true }),
          not_after: row.not_after,
          days: daysUntil(row.not_after.getTime(), now)
        }))
    }, Findings.endingCertificate),
    source(
      (tables, now) =>
        [...tables.resolutions.values()]
          .filter(({ is_active }) => is_active)
          .map((row) => ({
            ...owned(tables, row),
            document_type: row.document_type,
            prefix: row.prefix,
            left: Number(row.to_number - row.next_number + 1n),
            size: Number(row.to_number - row.from_number + 1n),
            valid_to: row.valid_to,
            days: daysUntil(Date.parse(row.valid_to), Date.parse(localDate(now)))
          })),
      Findings.usedRange,
      Findings.endingRange
    ),
    source(({ circuits }, now) => {
      const row = circuits.get("live")
      return row === undefined || row.trouble === null || now - (row.failing_since ?? now) < 900_000
        ? []
        : [{ since: new Date(row.failing_since ?? now), trouble: row.trouble }]
    }, Findings.unreachableAuthority),
    source(({ invoices }, now) => {
      const rows = [...invoices.values()].filter(({ livemode, state }) => livemode && state === "accepted_contingency")
      if (rows.length === 0) return []
      const deadline = Math.min(...rows.map(({ transmit_before }) => transmit_before?.getTime() ?? Infinity))
      return [
        {
          count: rows.length,
          since: new Date(Math.min(...rows.map(({ contingency_since }) => contingency_since?.getTime() ?? now))),
          deadline: deadline === Infinity ? null : new Date(deadline),
          left_ms: deadline === Infinity ? null : deadline - now,
          account_ids: [...new Set(rows.map(({ account_id }) => account_id))]
        }
      ]
    }, Findings.inContingency),
    source((tables, now) => {
      const rows = [...tables.invoices.values()].filter(
        ({ failure, state }) => state === "failed" && failure?.code === "internal_error"
      )
      return [...Map.groupBy(rows, modeKey).values()].map((some) => ({
        ...owned(tables, some[0]!),
        count: some.length,
        since: new Date(now),
        ids: some.map(({ id }) => id)
      }))
    }, Findings.failedDocuments)
  ]
}

interface TellingRow {
  readonly incident_id: string
  readonly channel: string
  readonly state: IncidentState
  readonly attempts: number
  readonly next_attempt_at: number | null
  readonly told_at: number | null
  readonly error: string | null
}

interface IncidentRow extends StoredIncident {
  readonly gone_since: number | null
}

/** What goes wrong in the memory store, and its incidents. */
export const layerMemoryIncidents = inMemory(Incidents, (memory, profile) => {
  const { call } = memory
  const rows = new Map<string, IncidentRow>()
  const tellings = new Map<string, TellingRow>()
  const keyOf = (one: Pick<TellingRow, "incident_id" | "channel" | "state">) =>
    `${one.incident_id} ${one.channel} ${one.state}`
  const openOnes = () => [...rows.values()].filter(({ ended_at }) => ended_at === null)
  const toTell = (incident_id: string, channel: string, state: IncidentState, now: number) => {
    const row = { incident_id, channel, state, attempts: 0, next_attempt_at: now, told_at: null, error: null }
    if (!tellings.has(keyOf(row))) tellings.set(keyOf(row), row)
  }
  const tellingsOf = (id: string) => [...tellings.values()].filter(({ incident_id }) => incident_id === id)

  return {
    sources: sourcesIn(memory, profile),
    open: call("Incidents.open", (_, now) =>
      openOnes().map((row) => ({ ...row, gone_ms: row.gone_since === null ? null : now - row.gone_since }))
    ),
    record: (verdict, channels) =>
      call("Incidents.record", (_, now) => {
        for (const { account, covers: _covers, failsDoctor: _failsDoctor, since, ...cause } of verdict.put) {
          const open = openOnes().find(({ kind, subject }) => kind === cause.kind && subject === cause.subject)
          const id = open?.id ?? IncidentId.make(`inc_${String(rows.size).padStart(26, "0")}`)
          const of = account ?? { account_id: null, livemode: null, issuer: null }
          const made = { ...of, id, since: since ?? new Date(now), opened_at: new Date(now), ended_at: null }
          rows.set(id, { gone_since: null, ...made, ...open, ...cause })
        }
        for (const [ids, gone_since] of [[verdict.back, null] as const, [verdict.gone, now] as const]) {
          for (const id of ids) rows.set(id, { ...existing(rows, id), gone_since })
        }
        for (const id of verdict.end) {
          const row = existing(rows, id)
          if (row.ended_at !== null || row.gone_since === null || now - row.gone_since < holdDownMs) continue
          rows.set(id, { ...row, ended_at: new Date(now) })
          for (const { channel, state } of tellingsOf(id)) if (state === "opened") toTell(id, channel, "ended", now)
        }
        for (const { id } of openOnes()) for (const channel of channels) toTell(id, channel, "opened", now)
      }),
    take: (channel) =>
      call("Incidents.take", (_, now) => {
        const waits = (one: TellingRow) =>
          one.state === "ended" && tellings.get(keyOf({ ...one, state: "opened" }))?.next_attempt_at != null
        const due = [...tellings.values()].filter(
          (one) => one.channel === channel && one.next_attempt_at !== null && one.next_attempt_at <= now && !waits(one)
        )
        return due.slice(0, tellingsMax).map((one) => {
          const taken = { ...one, attempts: one.attempts + 1, next_attempt_at: now + tellingLeaseSeconds * 1_000 }
          tellings.set(keyOf(one), taken)
          return { ...existing(rows, one.incident_id), state: one.state, attempts: taken.attempts }
        })
      }),
    told: (one) =>
      call("Incidents.told", (_, now) => {
        const row = existing(tellings, keyOf(one))
        if (row.told_at !== null || (row.attempts !== one.attempts && one.error !== null)) return
        const next_attempt_at = one.retryInMs === null ? null : now + one.retryInMs
        tellings.set(keyOf(one), {
          ...row,
          error: one.error,
          told_at: one.error === null ? now : null,
          next_attempt_at
        })
      }),
    list: call("Incidents.list", () =>
      [...rows.values()].map((row) => ({
        ...row,
        told: tellingsOf(row.id).map(({ next_attempt_at, told_at, ...rest }) => ({
          ...rest,
          told_at: told_at === null ? null : new Date(told_at),
          next_attempt_at: next_attempt_at === null ? null : new Date(next_attempt_at)
        }))
      }))
    ),
    standing: call("Incidents.standing", () => [])
  }
})
