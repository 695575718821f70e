import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    // Tests start servers and kill processes, and wait for them: three at a time fill a machine of two cores. Nothing is judged by how
    // long it takes: the time-outs only end what hangs.
    pool: "forks",
    maxWorkers: 3,
    // Loading the modules anew for each file would take a third of the time. A file that counts metrics has a registry of its own.
    isolate: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: { name: "memory", include: ["test/**/*.test.ts"], exclude: ["test/**/*.pg.test.ts"] }
      },
      {
        extends: true,
        test: { name: "postgres", include: ["test/**/*.pg.test.ts"], globalSetup: "test/support/Postgres.ts" }
      }
    ]
  }
})
