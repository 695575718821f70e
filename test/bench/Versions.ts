import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { closedLoop, openLoop, type Posted, type Receiver, receiver } from "./Load.ts"
import { percentile, wait } from "./Machine.ts"
import { allArrived, latencies, transactions } from "./Measures.ts"
import { root, service, type Service } from "./Places.ts"
import { rates, show } from "./Report.ts"

/*
 * Compares this version of the service with another one, each with its own embedded PostgreSQL, under the same loads in
 * turn. A machine that slows down for a while is slower for both. The comparison uses medians.
 */

/** A directory with the version of a commit and its installed dependencies; a given directory is used as it is. */
const treeOf = (version: string) => {
  if (Fs.existsSync(Path.join(version, "package.json"))) return Path.resolve(version)
  const tree = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-version-"))
  process.once("exit", () => Fs.rmSync(tree, { recursive: true, force: true }))
  const run = (command: string, ...args: ReadonlyArray<string>) =>
    execFileSync(command, args, { cwd: tree, stdio: ["ignore", "ignore", "inherit"] })
  run("git", "clone", "--quiet", "--shared", root, ".")
  run("git", "checkout", "--quiet", version)
  run("npm", "ci", "--no-audit", "--no-fund")
  return tree
}

interface Measured {
  /** CPU of the program and PostgreSQL for an invoice, in ms. */
  readonly cpu: number
  readonly programCpu: number
  readonly statements: number
  /** From POST to webhook, in ms. */
  readonly p50: number
  readonly p99: number
  /** From POST to its response, in ms. */
  readonly createP99: number
  readonly perSecond: number
}

const measure = async (subject: Service, hooks: Receiver, load: () => Promise<Posted>): Promise<Measured> => {
  const cpus = () => [subject.cpu(), subject.postgresCpu()] as const
  const statementsBefore = await transactions(subject.database)
  const [program, sql] = cpus()
  const begin = performance.now()
  const posted = await load()
  await allArrived(posted, hooks)
  const seconds = (performance.now() - begin) / 1_000
  // Lets the rows after a webhook be written, and idle sessions report their statistics.
  await wait(1_500)
  const [programAfter, sqlAfter] = cpus()
  const count = posted.at.size
  const waits = latencies(posted, hooks)
  return {
    cpu: (programAfter - program + sqlAfter - sql) / count,
    programCpu: (programAfter - program) / count,
    statements: ((await transactions(subject.database)) - statementsBefore) / count,
    p50: percentile(waits, 0.5),
    p99: percentile(waits, 0.99),
    createP99: percentile(posted.took, 0.99),
    perSecond: count / seconds
  }
}

const median = (values: ReadonlyArray<number>) => {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}

const written: Readonly<Record<keyof Measured, (value: number) => string>> = {
  cpu: (value) => `CPU ${value.toFixed(2)} ms`,
  programCpu: (value) => `(program ${value.toFixed(2)})`,
  statements: (value) => `statements ${value.toFixed(2)}`,
  p50: (value) => `webhook p50 ${value.toFixed(0)}`,
  p99: (value) => `p99 ${value.toFixed(0)} ms`,
  createP99: (value) => `create p99 ${value.toFixed(0)} ms`,
  perSecond: (value) => `${value.toFixed(0)}/s`
}

const rows = Object.keys(written) as ReadonlyArray<keyof Measured>

export const versions = async (options: {
  readonly against: string
  readonly pairs: number
  readonly seconds: number
  /** Steady rates, in invoices a second. */
  readonly steady: ReadonlyArray<number>
}) => {
  const { pairs, seconds, steady } = options
  const loads: Readonly<Record<string, (subject: Service) => Promise<Posted>>> = {
    ...Object.fromEntries(
      steady.map((rate) => [`${rate}/s`, ({ shops, target }: Service) => openLoop(target, shops, { rate, seconds })])
    ),
    "64 connections": ({ shops, target }) => closedLoop(target, shops, { count: seconds * 150, connections: 64 })
  }
  const open = async (tree?: string) => {
    const hooks = await receiver()
    const subject = await service({ accounts: 1, ...(tree === undefined ? {} : { tree }) }, hooks)
    await allArrived(await closedLoop(subject.target, subject.shops, { count: 3_000, connections: 32 }), hooks)
    return { subject, hooks, results: new Map<string, Array<Measured>>(Object.keys(loads).map((load) => [load, []])) }
  }
  const opened: Array<Awaited<ReturnType<typeof open>>> = []
  try {
    const before = await open(treeOf(options.against))
    opened.push(before)
    const now = await open()
    opened.push(now)
    for (let pair = 0; pair < pairs; pair++) {
      for (const [name, load] of Object.entries(loads)) {
        for (const { hooks, results, subject } of pair % 2 === 0 ? [before, now] : [now, before]) {
          results.get(name)?.push(await measure(subject, hooks, () => load(subject)))
        }
      }
    }
    for (const name of Object.keys(loads)) {
      const of =
        ({ results }: typeof now) =>
        (key: keyof Measured) =>
          median((results.get(name) ?? []).map((measured) => measured[key]))
      for (const [which, one] of Object.entries({ before, now })) {
        show(`${name}, ${which}`, rows.map((key) => written[key](of(one)(key))).join(", "))
      }
      for (const key of rows) rates.set(`versions ${name} ${key}`, of(now)(key) / of(before)(key))
      show(
        `${name}, now / before`,
        rows.map((key) => `${key} ${rates.get(`versions ${name} ${key}`)?.toFixed(2)}`).join(", ")
      )
    }
  } finally {
    for (const { hooks, subject } of opened) {
      await subject.stop()
      hooks.close()
    }
  }
}
