import { readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

// The services and commands that the tests start all load the same modules: what Node makes of them is kept for the next.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/compiled")

const startsProcesses = ({ moduleId }: TestSpecification) =>
  /support\/processes\/|FolioProcess\.ts|Soak\.ts|Packages\.ts/.test(readFileSync(moduleId, "utf8"))

/**
 * Project by project, because each has workers of its own, which load all modules anew. Files that start processes come first: they
 * take the longest, and none of them is waited for alone at the end.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const projects = ["full", "postgres", "memory"]
    const rank = (file: TestSpecification) =>
      projects.indexOf(file.project.name) - (file.project.name !== "memory" && startsProcesses(file) ? 0.5 : 0)
    // oxlint-disable-next-line unicorn/no-array-sort -- `sort` is the sequencer's method, not an array's
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}

const globalSetup = ["test/support/processes/Programs.ts", "test/support/database/Postgres.ts"]

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Tests start servers and kill processes, and wait for them: four at a time fill a machine of two cores. Nothing is judged by how
    // long it takes: the time-outs only end what hangs, and some wait for a submission's lease of 75 s to end.
    pool: "forks",
    maxWorkers: 4,
    // Loading the modules anew for each file would take a third of the time. A file that counts metrics has a registry of its own.
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
    projects: [
      {
        // Rules, routes and actors, on a store in memory and the clock of the tests.
        extends: true,
        test: {
          name: "memory",
          include: ["test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "test/**/*.{pg,full}.test.ts"]
        }
      },
      {
        // What holds only on PostgreSQL, and one test of each class of fault with processes of the service.
        extends: true,
        test: { name: "postgres", include: ["test/**/*.pg.test.ts"], globalSetup }
      },
      {
        // All else that takes many seconds: every crash point, browsers, other languages, packages, sequences of the model.
        extends: true,
        test: { name: "full", include: ["test/**/*.full.test.ts"], globalSetup }
      }
    ]
  }
})
