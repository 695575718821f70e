import * as Fs from "node:fs"
import * as Path from "node:path"
import type { Reporter, TestModule } from "vitest/node"
import { cpuBetween, type CpuByKind, follow } from "./ProcessTree.ts"

/** Times of one test file. */
export interface FileTimes {
  readonly file: string
  readonly tests: number
  readonly failed: number
  /** Milliseconds since the end of the previous file, including its modules. */
  readonly wall: number
  readonly cpu: Readonly<Record<string, number>>
}

/**
 * Writes the times of each test file, with the processes that it started, to the file named by TIMES_FILE. The files
 * can be distinguished only if one worker runs them one by one.
 */
export default class TimesReporter implements Reporter {
  private readonly tree = follow(process.pid)
  private readonly times: Array<FileTimes> = []
  private last: CpuByKind = new Map()
  private lastAt = Date.now()
  private timer: NodeJS.Timeout | undefined

  onTestRunStart() {
    this.timer = setInterval(() => this.tree.look(), 100)
    this.note("before the first file", 0, 0)
  }

  onTestModuleEnd(module: TestModule) {
    const tests = [...module.children.allTests()]
    const failed = tests.filter((test) => test.result().state === "failed").length
    this.note(Path.relative(process.cwd(), module.moduleId), tests.length, failed)
  }

  onTestRunEnd() {
    clearInterval(this.timer)
    this.note("after the last file", 0, 0)
    const file = process.env["TIMES_FILE"]
    if (file !== undefined) Fs.writeFileSync(file, JSON.stringify(this.times))
  }

  private note(file: string, tests: number, failed: number) {
    const now = this.tree.look()
    const wall = Date.now() - this.lastAt
    this.times.push({ file, tests, failed, wall, cpu: Object.fromEntries(cpuBetween(this.last, now)) })
    this.last = now
    this.lastAt += wall
  }
}
