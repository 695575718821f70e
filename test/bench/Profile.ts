import { type Profiler, Session } from "node:inspector/promises"
import * as Path from "node:path"

/** CPU time in ms. */
export interface Cost {
  readonly name: string
  readonly ms: number
}

/** CPU use of the service, without idle time. */
export interface Profile {
  /** Self time of each function. */
  readonly functions: ReadonlyArray<Cost>
  /**
   * Cost of each function of the service, including the libraries that it calls, without other functions of the
   * service. Calls that a library starts itself, such as a fiber that resumes after a wait, count as "(libraries
   * alone)".
   */
  readonly owners: ReadonlyArray<Cost>
}

const root = Path.resolve(import.meta.dirname, "../..")
const session = new Session()

export const start = async () => {
  session.connect()
  await session.post("Profiler.enable")
  await session.post("Profiler.setSamplingInterval", { interval: 500 })
  await session.post("Profiler.start")
  return true
}

const nameOf = ({ functionName, lineNumber, url }: Profiler.ProfileNode["callFrame"]) => {
  const name = functionName === "" ? "anonymous" : functionName
  if (url === "") return name
  const file = url.replace(`file://${root}/`, "").replace("node_modules/", "")
  return `${name} ${file}:${lineNumber + 1}`
}

// Files of `src` and `schemas`.
const isOwn = ({ url }: Profiler.ProfileNode["callFrame"]) => url.startsWith(`file://${root}/s`)

const added = (costs: Map<string, number>, name: string, ms: number) => costs.set(name, (costs.get(name) ?? 0) + ms)

const listed = (costs: ReadonlyMap<string, number>) =>
  [...costs].map(([name, ms]): Cost => ({ name, ms })).filter(({ name }) => name !== "(idle)")

/** Ends the profile started by `start`. */
export const stop = async (): Promise<Profile> => {
  const { profile } = await session.post("Profiler.stop")
  session.disconnect()
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const owner = new Map<number, string>()
  const own = (id: number, inherited: string) => {
    const node = nodes.get(id)
    if (node === undefined) return
    const frame = node.callFrame
    const mine = frame.url === "" && frame.functionName.startsWith("(") ? frame.functionName : inherited
    const name = isOwn(frame) ? nameOf(frame) : mine
    owner.set(id, name)
    for (const child of node.children ?? []) own(child, name)
  }
  const [top] = profile.nodes
  if (top !== undefined) for (const child of top.children ?? []) own(child, "(libraries alone)")
  const [functions, owners] = [new Map<string, number>(), new Map<string, number>()]
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const node = nodes.get(id)
    const ms = (profile.timeDeltas?.[index] ?? 0) / 1_000
    if (node === undefined) continue
    added(functions, nameOf(node.callFrame), ms)
    added(owners, owner.get(id) ?? "(libraries alone)", ms)
  }
  return { functions: listed(functions), owners: listed(owners) }
}
