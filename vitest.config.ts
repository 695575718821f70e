import { readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

// The services and commands that the tests start load the same modules, so Node's compile cache saves time.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/compiled")

const startsProcesses = ({ moduleId }: TestSpecification) =>
  /support\/processes\/|FolioProcess\.ts|Soak\.ts|Packages\.ts/.test(readFileSync(moduleId, "utf8"))

const rank = (file: TestSpecification) => (startsProcesses(file) ? 0 : /\.pg\./.test(file.moduleId) ? 1 : 2)

// `npm run test:fast` omits the files of this kind. Vitest's own option does not reach its projects.
const without = process.env["TEST_WITHOUT"]
const leftOut = without === undefined ? [] : [`test/**/*.${without}.test.ts`]

/** Runs files that start processes first, because they take the longest, so that none of them runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    // oxlint-disable-next-line unicorn/no-array-sort -- `sort` is the sequencer's method, not an array's
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Both do nothing in a run whose files need no database.
    globalSetup: ["test/support/processes/Programs.ts", "test/support/database/Postgres.ts"],
    // No test measures time: the time-outs only end a test that hangs. Some tests wait for a lease of 75 s to end.
    pool: "forks",
    // Most objects of the tests are short-lived: a larger space for them saves garbage collection.
    execArgv: ["--max-semi-space-size=64"],
    // Loading all modules again for each file would take a third of the time. Each service of a test has its own
    // registry of metrics, because a shared one would grow, and slow each request for the metrics.
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
    projects: [
      {
        // Memory and PostgreSQL share a project, because each project has workers of its own, which load all modules.
        extends: true,
        test: {
          name: "quick",
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "test/**/*.full.test.ts", ...leftOut],
          // On two cores a fourth worker costs CPU time, and the run ends no earlier.
          maxWorkers: Math.max(3, availableParallelism())
        }
      },
      {
        // Tests that take many seconds: every crash point, browsers, other languages, packages, sequences of the model.
        extends: true,
        test: {
          name: "full",
          include: ["test/**/*.full.test.ts", ...leftOut],
          // The longest takes five minutes of a busy machine: every page of the documentation in a browser.
          testTimeout: 900_000,
          // These tests start servers and kill processes, and wait for them.
          maxWorkers: Math.max(4, availableParallelism()),
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
})
