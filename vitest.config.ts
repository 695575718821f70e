import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/support/Postgres.ts",
    // Tests start servers and kill processes: each file has a process of its own, and two of them fill a small machine. Nothing is
    // judged by how long it takes: the time-outs only end what hangs.
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000
  }
})
