import type { IncidentKind } from "../../../schemas/Incident.ts"
import { type Cause, crowd } from "./Causes.ts"

/* When an incident is opened and when it ends. */

/** An incident ends once its cause has been gone for so long: a cause that comes and goes is told once. */
export const holdDownMs = 5 * 60_000

/** So many causes of one kind are told one by one; more of them are one incident. */
export const crowdMin = 50

/** An incident that is open. `gone_ms`: for how many milliseconds no look has found its cause; null while it is there. */
export interface OpenIncident {
  readonly id: string
  readonly kind: IncidentKind
  readonly subject: string
  readonly summary: string
  readonly gone_ms: number | null
}

/** What is to be done after a look. */
export interface Verdict {
  /** Causes of incidents to open, or, if one is open, whose words have changed. */
  readonly put: ReadonlyArray<Cause>
  /** Ids of incidents whose cause is gone now, whose cause has come back, and that end. */
  readonly gone: ReadonlyArray<string>
  readonly back: ReadonlyArray<string>
  readonly end: ReadonlyArray<string>
}

/** What one source found. `isAll`: nothing was left out; null causes: the source could not be looked at. */
export interface Look {
  readonly kinds: ReadonlyArray<IncidentKind>
  readonly causes: ReadonlyArray<Cause> | null
  readonly isAll: boolean
}

const keyOf = (kind: IncidentKind, subject: string) => `${kind} ${subject}`

/**
 * Compares what is found wrong with the incidents that are open. An incident whose kind was not looked at stays as it is, and one that a
 * look may have left out does not end.
 */
export const judge = (open: ReadonlyArray<OpenIncident>, looks: ReadonlyArray<Look>): Verdict => {
  const known = new Map(open.map((incident) => [keyOf(incident.kind, incident.subject), incident]))
  const all = looks.flatMap(({ causes }) => causes ?? [])
  const found = [...new Map(all.map((cause) => [keyOf(cause.kind, cause.subject), cause])).values()]
  const byKind = Map.groupBy(found, ({ kind }) => kind)
  const wanted = [...byKind].flatMap(([kind, causes]) => {
    if (causes.length <= crowdMin) return causes
    return [crowd(kind, causes), ...causes.filter(({ subject }) => known.has(keyOf(kind, subject)))]
  })
  const held = new Set(
    [...found, ...wanted].flatMap(({ covers, kind, subject }) => [kind, ...covers].map((one) => keyOf(one, subject)))
  )
  const examined = new Set(looks.filter(({ causes }) => causes !== null).flatMap(({ kinds }) => kinds))
  const cut = new Set(looks.filter(({ isAll }) => !isAll).flatMap(({ kinds }) => kinds))
  const isHeld = ({ kind, subject }: OpenIncident) => held.has(keyOf(kind, subject))
  const absent = open.filter((incident) => examined.has(incident.kind) && !cut.has(incident.kind) && !isHeld(incident))
  const ids = (incidents: ReadonlyArray<OpenIncident>) => incidents.map(({ id }) => id)
  return {
    put: wanted.filter(({ kind, subject, summary }) => known.get(keyOf(kind, subject))?.summary !== summary),
    gone: ids(absent.filter(({ gone_ms }) => gone_ms === null)),
    back: ids(open.filter((incident) => incident.gone_ms !== null && isHeld(incident))),
    end: ids(absent.filter(({ gone_ms }) => gone_ms !== null && gone_ms >= holdDownMs))
  }
}
