import * as Fs from "node:fs"
import * as Path from "node:path"

const tickMs = 10

/** Fields of a process's state, from the third one on. */
const stat = (pid: number | string) => {
  try {
    return Fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  } catch {
    return []
  }
}

/** CPU time of a process so far, in milliseconds. */
export const cpuMs = (pid: number) => {
  const fields = stat(pid)
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs
}

/** A program's process and its descendants, without a PostgreSQL among them. */
export const familyOf = (pid: number): ReadonlyArray<number> => {
  const children = Fs.readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && stat(name)[1] === String(pid))
    .filter((name) => Fs.readlinkSync(`/proc/${name}/exe`) === process.execPath)
    .map(Number)
  return [pid, ...children.flatMap(familyOf)]
}

/** Memory in use by a process, in bytes. */
export const residentBytes = (pid: number) =>
  Number(/VmRSS:\s*(\d+)/.exec(Fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1_024

/** CPU time of a PostgreSQL so far: its postmaster and all its backends, including ended ones. */
export const postgresMs = (dataDir: string) => {
  const postmaster = Fs.readFileSync(Path.join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[0] ?? ""
  const own = stat(postmaster)
  const ended = (Number(own[13] ?? 0) + Number(own[14] ?? 0)) * tickMs
  return Fs.readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && (name === postmaster || stat(name)[1] === postmaster))
    .reduce((sum, pid) => sum + cpuMs(Number(pid)), ended)
}

export const ownMs = () => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

export const percentile = (values: ReadonlyArray<number>, p: number) => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0
}

export const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits until a condition holds. */
export const until = async (holds: () => boolean | Promise<boolean>, what: string, atMostMs = 120_000) => {
  const end = performance.now() + atMostMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`timed out: not yet true that ${what}`)
    await wait(20)
  }
}
