import * as Fs from "node:fs"

/* CPU time of a process and all its descendants, by kind of process, read from Linux's /proc. */

/** Kinds of processes: the first kind whose pattern matches the command line applies. */
const kinds: ReadonlyArray<readonly [kind: string, pattern: RegExp]> = [
  ["PostgreSQL", /postgres|initdb|pg_ctl|psql/],
  ["browsers", /chrom/],
  ["test workers", /vitest\/dist\/workers|vitest.*forks/],
  ["vitest itself", /vitest/],
  ["tsc", /tsgo|typescript|\btsc\b/],
  ["lint", /oxlint|oxfmt|knip/],
  ["npm", /\bnpm\b/],
  ["services and commands", /\.cache\/programs|src\/main\.ts|folio\.js|Main\.js/]
]

interface Reading {
  readonly pid: number
  readonly parent: number
  readonly start: string
  readonly ms: number
}

const msPerTick = 10

const readingOf = (pid: number): Reading | undefined => {
  try {
    const line = Fs.readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ")
    return {
      pid,
      parent: Number(fields[1]),
      start: fields[19] ?? "",
      ms: (Number(fields[11]) + Number(fields[12])) * msPerTick
    }
  } catch {
    return undefined
  }
}

const kindOf = (pid: number) => {
  try {
    const command = Fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
    return kinds.find(([, pattern]) => pattern.test(command))?.[0] ?? "other"
  } catch {
    return "other"
  }
}

/** Milliseconds of CPU by kind. */
export type CpuByKind = ReadonlyMap<string, number>

/** CPU time in `later` beyond `earlier`. */
export const cpuBetween = (earlier: CpuByKind, later: CpuByKind): CpuByKind =>
  new Map([...later].map(([kind, ms]) => [kind, ms - (earlier.get(kind) ?? 0)]))

export const sum = (cpu: CpuByKind) => [...cpu.values()].reduce((total, ms) => total + ms, 0)

/**
 * Follows `root` and its descendants. A descendant whose parent has ended still counts. A process loses the CPU time
 * between the last sample and its end: sample ten times a second.
 */
export const follow = (root: number) => {
  const seen = new Map<string, { ms: number; kind: string; looks: number }>()
  const pids = new Set([root])

  const look = (): CpuByKind => {
    const readings = Fs.readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readingOf(Number(name)) ?? [])
    const alive = new Set(readings.map(({ pid }) => pid))
    for (const pid of pids) if (!alive.has(pid)) pids.delete(pid)
    for (let before = -1; before !== pids.size;) {
      before = pids.size
      for (const { parent, pid } of readings) if (pids.has(parent)) pids.add(pid)
    }
    for (const { ms, pid, start } of readings) {
      if (!pids.has(pid)) continue
      const key = `${pid} ${start}`
      const known = seen.get(key)
      // A newly forked process still has its parent's command line.
      const kind = known === undefined || known.looks < 3 ? kindOf(pid) : known.kind
      seen.set(key, { ms, kind, looks: (known?.looks ?? 0) + 1 })
    }
    const byKind = new Map<string, number>()
    for (const { kind, ms } of seen.values()) byKind.set(kind, (byKind.get(kind) ?? 0) + ms)
    return byKind
  }

  return { look }
}
