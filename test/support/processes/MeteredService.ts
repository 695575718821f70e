import { Effect } from "effect"
import { freePort, programAt, serviceProcess } from "./ServiceProcess.ts"

/** The service as a process with a watched event loop. `longestTurn`: the longest turn since the last call. */
export const meteredService = Effect.fnUntraced(function* (options: {
  readonly webhookAllow: string
  readonly env?: Readonly<Record<string, string>>
}) {
  const port = yield* freePort
  const service = yield* serviceProcess({
    ...options,
    env: { ...options.env, LOOP_PORT: String(port) },
    program: [programAt("test/support/processes/meteredMain.ts")]
  })
  const longestTurn = Effect.promise(async () => Number(await (await fetch(`http://127.0.0.1:${port}/`)).text()))
  return { ...service, longestTurn }
})
