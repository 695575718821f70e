import { Layer } from "effect"
import { type SettingValues, Settings } from "../../../src/platform/Settings.ts"

/** The settings of a process that listens at this address, alone and without a database of its own; by default at any free port. */
export const settingsOf = (listen: Partial<SettingValues["listen"]> = {}) =>
  Layer.succeed(Settings, {
    databaseUrl: undefined,
    folioKey: undefined,
    instance: "test",
    listen: { host: "127.0.0.1", port: 0, ...listen },
    log: { level: "Info", format: "json" },
    processes: 1,
    runner: undefined,
    traces: undefined
  })
