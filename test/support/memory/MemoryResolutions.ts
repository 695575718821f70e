import { Option, Result } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { NumberForm } from "../../../src/documents/rules/FullNumber.ts"
import type { ResolutionUpdate } from "../../../schemas/Resolution.ts"
import {
  changed,
  overlapOf,
  type RangeQuery,
  refusalOf,
  type ResolutionKey,
  Resolutions,
  type StoredResolution
} from "../../../src/accounts/store/Resolutions.ts"
import { counterBeside, isCounted, isCounterPrefix } from "../../../src/accounts/store/NoteCounters.ts"
import { isOf, inMemory, rowOf } from "./MemoryTables.ts"

type Ranges = Map<string, StoredResolution>

const ofAccount = (ranges: Ranges, account: AccountMode) => [...ranges.values()].filter((row) => isOf(row, account))

const matching = (ranges: Ranges, { kind, prefix, ...account }: RangeQuery) =>
  ofAccount(ranges, account)
    .filter((row) => row.document_type === kind && (prefix === null || row.prefix === prefix))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))

const change = (ranges: Ranges, key: ResolutionKey, patch: ResolutionUpdate, form: NumberForm) =>
  Result.gen(function* () {
    const range = rowOf(ranges, key)
    if (range === undefined) return yield* Result.fail(ApiError.missing("resolution", key.id))
    const next = yield* changed(range, patch)
    const overlap = next.is_active && !range.is_active ? overlapOf(next, ofAccount(ranges, key), form) : undefined
    if (overlap !== undefined) return yield* Result.fail(overlap)
    ranges.set(next.id, next)
    return next
  })

export const layerResolutions = inMemory(Resolutions, ({ attempt, call }, { numbering }) => ({
  all: (query) => call("Resolutions.all", ({ resolutions }) => matching(resolutions, query)),
  ensureCounter: (key, kind) =>
    call("Resolutions.ensureCounter", ({ resolutions }, now) => {
      const others = ofAccount(resolutions, key)
      if (isCounted(others.filter(({ document_type }) => document_type === kind))) return
      resolutions.set(key.id, counterBeside({ ...key, created_at: new Date(now) }, kind, others, numbering))
    }),
  wouldCount: ({ kind, prefix, ...account }) =>
    call(
      "Resolutions.wouldCount",
      ({ resolutions }) =>
        kind !== "invoice" && isCounterPrefix(prefix, kind, ofAccount(resolutions, account), [], numbering)
    ),
  locked: (account) => call("Resolutions.locked", ({ resolutions }) => ofAccount(resolutions, account)),
  current: (query, date) =>
    call("Resolutions.current", ({ resolutions }) => {
      const fitting = matching(resolutions, query).filter(
        (row) => row.is_active && row.valid_from <= date && date <= row.valid_to && row.next_number <= row.to_number
      )
      return Option.fromUndefinedOr(fitting.find(({ registered }) => registered) ?? fitting[0])
    }),
  find: (account, id) =>
    call("Resolutions.find", ({ resolutions }) => Option.fromUndefinedOr(rowOf(resolutions, { ...account, id }))),
  register: (resolution) =>
    attempt("Resolutions.register", ({ resolutions }) => {
      const refusal = refusalOf(resolution, ofAccount(resolutions, resolution), numbering)
      if (refusal !== undefined) return Result.fail(refusal)
      resolutions.set(resolution.id, resolution)
      return Result.void
    }),
  update: (key, patch) =>
    attempt("Resolutions.update", ({ resolutions }) => change(resolutions, key, patch, numbering)),
  insert: (resolution) =>
    call("Resolutions.insert", ({ resolutions }) => void resolutions.set(resolution.id, resolution))
}))
